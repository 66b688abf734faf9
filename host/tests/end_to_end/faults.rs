//! The golden cases with each thing that can go wrong in them.

use std::{path::Path, process::Command};

use serde_json::Value;

use crate::world::PROGRAM;

#[test]
fn whatever_goes_wrong_in_a_golden_case_the_invariants_hold() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
    let mut command = Command::new(PROGRAM);
    command.args(["replay", "faults", "--json", "--golden"]).arg(golden);
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let schema: Value = serde_json::from_str(tapeline::Envelope::SCHEMA).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let (mut variants, mut wrong) = (0, Vec::new());
    for line in said.lines() {
        let variant: Value = serde_json::from_str(line).unwrap();
        // A case that is not run has no breaches, and none is fine.
        let holds = variant["breaches"].as_array().is_some_and(Vec::is_empty);
        if !holds || !schema.is_valid(&variant["envelope"]) {
            wrong.push(line);
        }
        variants += 1;
    }
    assert!(wrong.is_empty(), "{} of {variants}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(variants > 1000, "{variants}");
}
