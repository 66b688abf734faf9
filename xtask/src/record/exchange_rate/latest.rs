//! `exchange-rate latest`: what is shown, and what goes to a file.

use serde_json::json;

use super::{LATEST, scenario, usd};
use crate::rates::{Table, cny};
use crate::record::scenario::Scenario;

const OUT: &str = "exchange-rate latest --base CNY --out artifacts/exchange-rate/latest-CNY.json";
const OVERWRITE: &str = "exchange-rate latest --base CNY --out artifacts/cny.json --overwrite";

pub(super) fn scenarios() -> Vec<Scenario> {
    let mut scenarios = shown();
    scenarios.extend(refused());
    scenarios.extend(out());
    scenarios
}

fn shown() -> Vec<Scenario> {
    vec![
        scenario("latest-default-subset", "five common currencies where none are named")
            .line(LATEST)
            .rates(&cny())
            .shows("/result/rates_total", 9)
            .shows("/result/rates/HKD", "1.234567"),
        scenario("latest-default-subset-without-base", "a base among the five is left out")
            .line("exchange-rate latest --base USD")
            .rates(&usd())
            .shows("/result/rates/USD", json!(null))
            .shows("/result/rates/EUR", "0.900901"),
        scenario("latest-default-subset-in-part", "a small table shows what it has of the five")
            .line("exchange-rate latest --base XDR")
            .rates(&Table::new("XDR", &[("EUR", "1.25"), ("CHF", "1.2")]))
            .shows("/result/rates", json!({"EUR": "1.25"})),
        scenario("latest-symbols", "only the currencies that are named")
            .line("exchange-rate latest --base CNY --symbols USD,EUR")
            .rates(&cny())
            .shows("/result/rates", json!({"EUR": "0.111222", "USD": "0.123456"})),
        scenario("latest-symbols-folded", "blanks, case and repetitions in a list do not matter")
            .line(r#"exchange-rate latest --base CNY --symbols " usd, eur ,usd""#)
            .rates(&cny())
            .shows("/result/rates", json!({"EUR": "0.111222", "USD": "0.123456"})),
        scenario("latest-symbols-lek", "`ALL` is the Albanian lek")
            .line("exchange-rate latest --base CNY --symbols ALL")
            .rates(&Table::new("CNY", &[("ALL", "12.5"), ("USD", "0.125")]))
            .shows("/result/rates", json!({"ALL": "12.5"})),
        scenario("latest-lower-case-base", "a code in lower case is shown in upper case")
            .line("exchange-rate latest --base cny")
            .rates(&cny())
            .shows("/result/base_code", "CNY"),
        scenario("latest-digits-as-given", "rates keep every digit of the answer")
            .line("exchange-rate latest --base CNY --symbols IRR,JPY,USD,XAU,XBT")
            .rates(&odd_numbers())
            .shows("/result/rates/IRR", "1234567890.25")
            .shows("/result/rates/JPY", "20")
            .shows("/result/rates/USD", "0.1250")
            .shows("/result/rates/XAU", "0.0000001")
            .shows("/result/rates/XBT", "0.000010"),
        scenario("latest-table-of-many-currencies", "a whole table stays out of the envelope")
            .line(LATEST)
            .rates(&many_currencies())
            .shows("/result/rates_total", 17 * 26 + 1)
            .shows("/result/rates", json!({})),
    ]
}

fn refused() -> Vec<Scenario> {
    vec![
        scenario("latest-symbols-all", "a whole table is refused with the way to a file")
            .line("exchange-rate latest --base CNY --symbols all")
            .fails("InvalidArgs"),
        scenario("latest-symbols-gap", "a list with a code missing is refused")
            .line("exchange-rate latest --base CNY --symbols USD,,EUR")
            .fails("InvalidArgs"),
        scenario("latest-symbols-no-code", "the part of a list that is no code is named")
            .line("exchange-rate latest --base CNY --symbols USD,EURO")
            .fails("InvalidArgs"),
        scenario("latest-symbols-unknown", "codes that the table does not have are named")
            .line("exchange-rate latest --base CNY --symbols USD,XYZ,XXX")
            .rates(&cny())
            .fails("UnknownCurrency")
            .shows("/result/codes", json!(["XYZ", "XXX"])),
        scenario("latest-base-missing", "a base is required")
            .line("exchange-rate latest")
            .fails("InvalidArgs"),
        scenario("latest-base-too-long", "a base of four letters is no code")
            .line("exchange-rate latest --base YUAN")
            .fails("InvalidArgs"),
        scenario("latest-base-symbol", "a currency's symbol is no code")
            .line("exchange-rate latest --base €")
            .fails("InvalidArgs"),
        scenario("latest-flag-misspelt", "a flag that is nearly right brings the right one")
            .line("exchange-rate latest --base CNY --symbol USD")
            .fails("InvalidArgs"),
        scenario("latest-flag-twice", "a flag that is given twice is refused")
            .line("exchange-rate latest --base CNY --base USD")
            .fails("InvalidArgs"),
    ]
}

fn out() -> Vec<Scenario> {
    vec![
        scenario("latest-out", "the whole answer goes to a file, as received")
            .line(OUT)
            .rates(&cny())
            .shows("/result/out", ".agents/artifacts/exchange-rate/latest-CNY.json")
            .shows("/artifacts/0/mime", "application/json"),
        scenario("latest-out-from-cache", "a kept answer goes to a file byte for byte")
            .line(OUT)
            .kept(&cny(), 1)
            .shows("/result/cached", true)
            .shows("/artifacts/0/path", ".agents/artifacts/exchange-rate/latest-CNY.json"),
        scenario("latest-out-exists", "a file that is there stays, and no request is made")
            .line(OUT)
            .file("artifacts/exchange-rate/latest-CNY.json", "kept\n")
            .fails("OutExists"),
        scenario("latest-out-overwrite-of-nothing", "`--overwrite` asks nobody for a new file")
            .line(OVERWRITE)
            .rates(&cny())
            .shows("/result/out", ".agents/artifacts/cny.json"),
        scenario("latest-out-overwrite-approved", "a file is replaced once that is approved")
            .line(OVERWRITE)
            .file("artifacts/cny.json", "old\n")
            .rates(&cny())
            .yes()
            .shows("/result/out", ".agents/artifacts/cny.json"),
        scenario("latest-out-overwrite-approval-required", "nobody is there to approve")
            .line(OVERWRITE)
            .file("artifacts/cny.json", "old\n")
            .fails("ApprovalRequired"),
        scenario("latest-out-not-written-on-failure", "a failing request leaves no file")
            .line(OUT)
            .fails("NetworkError")
            .shows("/artifacts", json!([])),
        scenario("latest-out-upwards", "a path that leaves the workspace is refused")
            .line("exchange-rate latest --base CNY --out ../cny.json")
            .fails("PathEscapesAgentsRoot"),
        scenario("latest-out-absolute", "an absolute path is refused")
            .line("exchange-rate latest --base CNY --out /etc/passwd")
            .fails("PathEscapesAgentsRoot"),
        scenario("latest-out-device-name", "a name that is a device somewhere is refused")
            .line("exchange-rate latest --base CNY --out artifacts/nul.json")
            .fails("PathEscapesAgentsRoot"),
        scenario("latest-out-is-a-folder", "a folder is in the place of the file")
            .line("exchange-rate latest --base CNY --out artifacts")
            .file("artifacts/other.json", "{}\n")
            .fails("WorkspaceError"),
        scenario("latest-out-below-a-file", "a file is in the place of the folder")
            .line("exchange-rate latest --base CNY --out artifacts/cny.json")
            .file("artifacts", "no folder\n")
            .fails("WorkspaceError"),
        scenario("latest-overwrite-without-out", "`--overwrite` means nothing by itself")
            .line("exchange-rate latest --base CNY --overwrite")
            .fails("InvalidArgs"),
    ]
}

/// Numbers in every spelling that JSON has.
fn odd_numbers() -> Table {
    let rates = [
        ("IRR", "1234567890.25"),
        ("JPY", "20"),
        ("USD", "0.1250"),
        ("XAU", "1e-7"),
        ("XBT", "1.0E-5"),
    ];
    Table::new("CNY", &rates)
}

/// 442 codes besides the base, none of them among the common ones: too long for a record's line.
fn many_currencies() -> Table {
    let letters = || ('A'..='Z').rev();
    let codes = letters().take(17).flat_map(|x| letters().map(move |y| format!("X{x}{y}")));
    let codes: Vec<String> = codes.collect();
    let rates: Vec<(&str, &str)> = codes.iter().map(|code| (code.as_str(), "1.234567")).collect();
    Table::new("CNY", &rates)
}
