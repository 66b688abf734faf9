'use strict';
(() => {
  const words = text => text.toLowerCase().split(/\s+/u).filter(word => word !== '');
  const holds = (text, wanted) => wanted.every(word => text.includes(word));
  const groups = Array.from(document.querySelectorAll('.group'), element => {
    const text = element.querySelector('summary').textContent.toLowerCase();
    const cases = Array.from(element.querySelectorAll('.case'), item => {
      const head = item.querySelector(':scope > summary') ?? item;
      const own = `${head.textContent} ${item.dataset.name}`.toLowerCase();
      return { element: item, name: item.dataset.name, text: `${text} ${own}` };
    });
    return { element, text, cases };
  });
  const field = document.getElementById('filter');
  const shown = document.getElementById('shown');
  const keys = document.getElementById('keys');

  const count = (number, of, what) =>
    `${number === of ? number : `${number} of ${of}`} ${what}${of === 1 ? '' : 's'}`;

  function filter() {
    const wanted = words(field.value);
    const all = new Set();
    const found = new Set();
    let visible = 0;
    for (const group of groups) {
      const whole = holds(group.text, wanted);
      let some = whole;
      for (const item of group.cases) {
        const is = whole || holds(item.text, wanted);
        item.element.hidden = !is;
        some ||= is;
        all.add(item.name);
        if (is) found.add(item.name);
      }
      group.element.hidden = !some;
      visible += some ? 1 : 0;
    }
    shown.textContent =
      `${count(found.size, all.size, 'case')} in ${count(visible, groups.length, 'group')}`;
  }

  const focus = group => {
    group.element.querySelector('summary').focus();
    group.element.scrollIntoView({ block: 'nearest' });
  };

  const current = visible => {
    const element = document.activeElement?.closest('.group');
    return visible.findIndex(group => group.element === element);
  };

  function step(by) {
    const visible = groups.filter(group => !group.element.hidden);
    const at = current(visible);
    const next = at === -1 ? (by > 0 ? 0 : visible.length - 1) : at + by;
    if (visible[next]) focus(visible[next]);
  }

  function unfold() {
    const visible = groups.filter(group => !group.element.hidden);
    const group = visible[Math.max(current(visible), 0)];
    if (!group) return;
    const cases = group.cases.map(item => item.element);
    const folds = cases.filter(element => element.tagName === 'DETAILS' && !element.hidden);
    folds.push(group.element);
    const open = folds.some(element => !element.open);
    for (const element of folds) element.open = open;
    focus(group);
  }

  const actions = {
    '/': () => field.focus(),
    j: () => step(1),
    k: () => step(-1),
    e: unfold,
    '?': () => {
      keys.open = true;
      keys.querySelector('summary').focus();
      keys.scrollIntoView({ block: 'nearest' });
    },
  };

  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target === field) {
      if (event.key === 'Escape') {
        field.value = '';
        filter();
        field.blur();
      }
      return;
    }
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });

  // Where an address leads to a case, it is unfolded.
  function unfoldTarget() {
    const target = document.getElementById(location.hash.slice(1));
    for (let at = target; at; at = at.parentElement) {
      at.hidden = false;
      if (at.tagName === 'DETAILS') at.open = true;
    }
    target?.scrollIntoView();
  }

  field.addEventListener('input', filter);
  window.addEventListener('hashchange', unfoldTarget);
  document.querySelector('.filter').hidden = false;
  keys.hidden = false;
  filter();
  if (location.hash) unfoldTarget();
})();
