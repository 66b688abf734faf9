//! Runs end wherever the host polls them: without a runtime, in one without timers, in another's.

use std::time::Duration;

use tapeline::Request;
use tokio::runtime::Builder;

use crate::world::{World, block_on};

/// What needs timers, a thread and a network.
async fn all_kinds(world: &World) {
    world.service.answers(200, &[], "page");
    world.ended(world.terminal.exec("sleep --ms 5").await).ok();
    world.ended(world.terminal.exec("fetch --url https://a.example/").await).ok();
    world.ended(world.terminal.exec("panic worker").await).fails("Internal", 70, &[]);
    let request = Request::new("sleep --ms 60000").timeout_ms(30);
    world.ended(world.terminal.start(request).await).fails("Timeout", 124, &[]);
}

#[test]
fn no_runtime_is_needed() {
    let world = World::new();
    world.ended(world.terminal.exec_blocking("sleep --ms 5")).ok();
}

#[test]
fn a_runtime_without_timers_will_do() {
    let world = World::new();
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(all_kinds(&world));
    // Blocking is allowed there, too.
    let envelope = runtime.block_on(async { world.terminal.exec_blocking("sleep --ms 5") });
    world.ended(envelope).ok();
}

#[test]
fn an_executor_that_is_not_tokio_will_do() {
    let world = World::new();
    block_on(all_kinds(&world));
    let envelope = block_on(async { world.terminal.exec_blocking("sleep --ms 5") });
    world.ended(envelope).ok();
}

#[test]
fn a_run_may_move_between_runtimes() {
    let world = World::new();
    let mut run = world.terminal.exec("sleep --ms 50");
    let first = Builder::new_current_thread().enable_all().build().unwrap();
    let waited = first.block_on(async {
        tokio::time::timeout(Duration::from_millis(5), &mut run).await.is_err()
    });
    assert!(waited);
    drop(first);
    world.ended(block_on(run)).ok();
}

#[test]
fn a_terminal_may_be_dropped_in_async_code() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let terminal = tapeline::Terminal::builder()
            .registry(crate::commands::registry())
            .in_memory()
            .build()
            .unwrap();
        let envelope = terminal.exec("sleep --ms 1").await;
        assert_eq!(envelope.exit_code, 0);
        let under_way = terminal.exec("sleep --ms 60000");
        drop(terminal);
        drop(under_way);
    });
}

#[test]
fn a_terminal_is_built_without_touching_anything() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("not-there");
    let terminal = tapeline::Terminal::builder()
        .registry(crate::commands::registry())
        .root(&root)
        .build()
        .unwrap();
    assert!(!root.exists());
    assert_eq!(terminal.exec_blocking("file write a.txt --text a").exit_code, 0);
    assert_eq!(std::fs::read_to_string(root.join(".agents/a.txt")).unwrap(), "a");
    assert!(root.join("audit/runs").is_dir());
}
