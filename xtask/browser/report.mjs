// The page of a report in a real Chromium, opened from disk: used by keyboard, filtered, looked at.
// node report.mjs FOLDER CHROMIUM PAGE RENAMED, by `cargo xtask browser`.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, executablePath, page, renamed] = process.argv.slice(2);
const { chromium } = createRequire(path.join(folder, 'package.json'))('playwright-core');
const address = pathToFileURL(page).href;

const args = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
// A profile of its own, which is gone afterwards.
const browser = await chromium.launch({ executablePath, args });

/** Opens the page as somebody would; whatever it complains of or asks for is in `said`. */
async function opened(options) {
  const context = await browser.newContext(options);
  const tab = await context.newPage();
  const said = [];
  tab.on('console', message => said.push(`console: ${message.text()}`));
  tab.on('pageerror', error => said.push(`error: ${error.message}`));
  tab.on('request', request => {
    if (request.url() !== address) said.push(`request: ${request.url()}`);
  });
  await tab.goto(address);
  return { tab, said, close: () => context.close() };
}

const shown = locator => locator.filter({ visible: true });
const texts = async locator => (await locator.allInnerTexts()).map(text => text.trim());
const focused = tab => tab.evaluate(() => document.activeElement.closest('[id]')?.id);
const isWide = tab =>
  tab.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

async function byKeyboard() {
  const { tab, said, close } = await opened({ viewport: { width: 1280, height: 900 } });
  const groups = tab.locator('.group');
  const count = await groups.count();
  assert.ok(count >= 3, `${count} groups`);
  assert.deepEqual(await texts(shown(tab.locator('.diff'))), [], 'all is folded at first');

  // The renamed column is one group, and the largest.
  const first = groups.first();
  const head = await first.locator('summary').first().innerText();
  assert.match(head, new RegExp(`^${renamed}\\s+exchange-rate latest`));
  assert.match(head, /expect\/stdout\.txt/);
  assert.match(head, /code {2}price[^]*code {2}rate/);
  assert.equal(await tab.locator('.group', { hasText: 'code  price' }).count(), 1);

  // Unfolded by keyboard: the group, then its first case.
  await tab.keyboard.press('j');
  assert.equal(await focused(tab), 'group-1');
  await tab.keyboard.press('Enter');
  assert.equal(await shown(first.locator('.case')).count(), Number(renamed));
  await tab.keyboard.press('Tab');
  await tab.keyboard.press('Enter');
  const diff = shown(first.locator('.diff'));
  assert.equal(await diff.count(), 1);
  assert.deepEqual(await texts(diff.locator('del')), ['code  price']);
  assert.deepEqual(await texts(diff.locator('ins')), ['code  rate']);
  const [old, came] = [await diff.locator('del').boundingBox(), await diff.locator('ins').boundingBox()];
  assert.equal(old.y, came.y, 'old and new stand side by side');
  assert.ok(old.x + old.width < came.x);

  // On to the next group and back, and everything of it at once.
  await tab.keyboard.press('j');
  assert.equal(await focused(tab), 'group-2');
  await tab.keyboard.press('k');
  assert.equal(await focused(tab), 'group-1');
  await tab.keyboard.press('e');
  assert.equal(await shown(first.locator('.diff')).count(), Number(renamed), 'not folded first');
  await tab.keyboard.press('e');
  assert.equal(await first.getAttribute('open'), null);
  await tab.keyboard.press('e');
  assert.equal(await shown(first.locator('.diff')).count(), Number(renamed));
  await tab.keyboard.press('?');
  assert.ok(await tab.locator('#keys dl').isVisible());

  // Filtered.
  const live = tab.locator('#shown');
  const all = await live.innerText();
  await tab.keyboard.press('/');
  assert.equal(await focused(tab), 'filter');
  await tab.keyboard.type('HELLO default');
  assert.equal(await shown(groups).count(), 1);
  assert.deepEqual(await texts(shown(tab.locator('.group .heading'))), ['hello']);
  assert.match(await live.innerText(), new RegExp(`^1 of \\d+ cases in 1 of ${count} groups$`));
  await tab.keyboard.press('Escape');
  assert.equal(await live.innerText(), all);
  assert.equal(await shown(groups).count(), count);
  await tab.keyboard.press('/');
  await tab.keyboard.type('nothing like it');
  assert.equal(await shown(groups).count(), 0);
  await tab.keyboard.press('Escape');

  // What came from outside is text.
  assert.equal(await tab.locator('img').count(), 0);
  assert.equal(await tab.locator('script').count(), 1);
  assert.equal(await tab.title(), `${await tab.locator('h1').innerText()}`);
  assert.deepEqual(said, []);
  await close();
}

async function linked() {
  const { tab, close } = await opened({});
  const name = await tab.locator('details.case').last().getAttribute('id');
  await tab.goto(`${address}#${name}`);
  assert.ok(await tab.locator(`[id="${name}"] .command`).isVisible(), 'a link unfolds its case');
  await close();
}

async function seen() {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1280, 390]) {
      const { tab, said, close } = await opened({ viewport: { width, height: 900 }, colorScheme });
      for (const name of ['hello/default', 'rss/fetch-gbk', 'exchange-rate/latest-symbols']) {
        await tab.evaluate(name => {
          for (let at = document.getElementById(name); at; at = at.parentElement) at.open = true;
          document.getElementById(name).querySelectorAll('details').forEach(more => { more.open = true; });
        }, name);
      }
      assert.equal(await isWide(tab), false, `at ${width} px it scrolls sideways`);
      const lines = await tab.locator('[id="hello/default"] .diff td.del').allInnerTexts();
      const text = lines.reduce((long, line) => (line.length > long.length ? line : long), '');
      assert.ok(text.length > 4990, `a line of ${text.length} characters`);
      assert.ok(text.includes('汇率'));
      const ground = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const [red] = ground.match(/\d+/g).map(Number);
      assert.equal(red < 128, colorScheme === 'dark', ground);
      const case_ = tab.locator('[id="rss/fetch-gbk"]');
      const [old, came] = [case_.locator('del').first(), case_.locator('ins').first()];
      assert.ok((await old.innerText()).includes('您好，世界'));
      assert.equal(await case_.locator('.diff').first().getAttribute('lang'), 'zh');
      const [above, below] = [await old.boundingBox(), await came.boundingBox()];
      assert.equal(width === 390 ? above.y < below.y : above.y === below.y, true);
      await tab.screenshot({ path: path.join(folder, `report-${colorScheme}-${width}.png`), fullPage: true });
      assert.deepEqual(said, []);
      await close();
    }
  }
}

async function withoutScript() {
  const { tab, close } = await opened({ javaScriptEnabled: false });
  const diff = tab.locator('.diff').first();
  assert.ok(await diff.isVisible(), 'where nothing runs, all is unfolded');
  assert.equal(await tab.locator('#filter').isVisible(), false);
  await close();
}

async function printed() {
  const { tab, close } = await opened({});
  await tab.emulateMedia({ media: 'print' });
  assert.ok(await tab.locator('.diff').first().isVisible(), 'on paper all is unfolded');
  await close();
}

/** A text that got out of its place could do nothing. */
async function confined() {
  const { tab, said, close } = await opened({});
  await tab.evaluate(() => {
    const into = document.querySelector('main');
    into.innerHTML = '<img src="https://evil.example/x" onerror="document.title = \'evil\'">';
    const script = document.createElement('script');
    script.textContent = 'document.title = "evil"';
    into.append(script);
  });
  await tab.evaluate(() => new Promise(done => requestAnimationFrame(done)));
  assert.notEqual(await tab.title(), 'evil');
  assert.ok(said.some(line => line.includes('Content Security Policy')), said.join('\n'));
  await close();
}

for (const test of [byKeyboard, linked, seen, withoutScript, printed, confined]) {
  await test();
  console.log(`ok ${test.name}`);
}
await browser.close();
