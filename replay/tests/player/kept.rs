//! What CI kept, accepted from its folder: of one shard or several, and from nobody's good will.

use std::{fs, path::Path};

use crate::{
    commands::{FEWER_REQUESTS, MORE_LINES, RECORDED, SWALLOWS_A_READ, registry},
    corpus::corpus,
    gc::with_blob_and_fewer_requests,
    world::{World, files, sealed},
};

#[test]
fn what_ci_kept_is_accepted_from_its_folder_unless_the_case_has_changed() {
    let world = corpus();
    let kept = world.path("kept");
    let kept = kept.to_str().unwrap();
    world.cli(&["two", "--pending", kept], registry::<MORE_LINES>());
    let title = world.path("golden/two/plain/given/case.json");
    let text = fs::read_to_string(&title).unwrap();
    fs::write(&title, text.replace("\"title\": \"", "\"title\": \"now ")).unwrap();
    let (exit, out) = world.cli(&["accept", "two", "--from", kept], registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(out.contains("two/failure: accepted") || out.contains("two/people: accepted"), "{out}");
    assert!(out.contains("the case was changed since it was run: run it again first"), "{out}");
    assert!(fs::read_to_string(&title).unwrap().contains("now "));
}

#[test]
fn the_folders_of_several_shards_are_accepted_side_by_side() {
    let world = corpus();
    let kept = world.path("kept");
    for (group, registry) in [("one", registry::<MORE_LINES>()), ("two", registry::<MORE_LINES>())]
    {
        let folder = kept.join(format!("replay-pending-{group}"));
        world.cli(&[group, "--pending", folder.to_str().unwrap()], registry);
    }
    let kept = kept.to_str().unwrap();
    let (exit, out) = world.cli(&["review", "--from", kept], registry::<RECORDED>());
    assert!(exit == 1 && out.starts_with("do: 5 cases\n"), "{out}");
    let (exit, out) = world.cli(&["accept", "*", "--from", kept], registry::<RECORDED>());
    assert_eq!((exit, out.lines().count()), (0, 5), "{out}");
    assert_eq!(world.cli(&["*/p*"], registry::<MORE_LINES>()).0, 0);
}

#[test]
fn a_case_that_two_shards_kept_is_accepted_from_neither() {
    let world = corpus();
    let kept = world.path("kept");
    for shard in ["1", "2"] {
        let folder = kept.join(shard);
        world.cli(&["two/plain", "--pending", folder.to_str().unwrap()], registry::<MORE_LINES>());
    }
    let before = files(&world.path("golden"));
    let arguments = ["accept", "*", "--from", kept.to_str().unwrap()];
    let (exit, out) = world.cli(&arguments, registry::<RECORDED>());
    assert_eq!(exit, 2);
    assert!(
        out.contains("two/plain is in `") && out.contains("give `--from` one of them"),
        "{out}"
    );
    assert_eq!(files(&world.path("golden")), before);
}

#[test]
fn blobs_come_along_with_what_is_accepted() {
    let world = with_blob_and_fewer_requests();
    let kept = world.path("kept");
    fs::rename(world.path("target/replay-pending"), &kept).unwrap();
    fs::remove_dir_all(world.path("golden/_blobs")).unwrap();
    let accept = ["accept", "*", "--from", kept.to_str().unwrap()];
    assert_eq!(world.cli(&accept, registry::<RECORDED>()).0, 0);
    assert_eq!(world.cli(&["group"], registry::<FEWER_REQUESTS>()).0, 0);
}

#[test]
fn a_folder_that_is_none_of_what_is_pending_says_what_to_give() {
    let world = corpus();
    fs::create_dir_all(world.path("empty")).unwrap();
    for folder in ["golden", "empty", "none", "audit"] {
        let folder = world.path(folder);
        let verbs = [&["accept", "*"][..], &["review"], &["diff", "*"], &["reject", "*"]];
        let page = world.path("page").display().to_string();
        for verb in [&verbs[..], &[&["report", "--html", &page]]].concat() {
            let arguments = [verb, &["--from", folder.to_str().unwrap()]].concat();
            let (exit, out) = world.cli(&arguments, registry::<RECORDED>());
            assert_eq!(exit, 2, "{out}");
            let said = "nothing is pending there: give the folder that CI kept, `replay-pending`";
            assert!(out.contains(said), "{out}");
        }
    }
}

/// A folder that CI kept, in which somebody else may have written anything.
fn kept(world: &World) -> std::path::PathBuf {
    let kept = world.path("kept");
    world.cli(&["two/plain", "--pending", kept.to_str().unwrap()], registry::<MORE_LINES>());
    kept
}

#[track_caller]
fn check_refused(world: &World, kept: &Path, said: &str) {
    let everything = || {
        let all = files(&world.path("")).into_iter().filter(|file| !file.starts_with(kept));
        all.map(|file| (fs::read(&file).unwrap(), file)).collect::<Vec<_>>()
    };
    let before = everything();
    let arguments = ["accept", "*", "--from", kept.to_str().unwrap()];
    let (exit, out) = world.cli(&arguments, registry::<RECORDED>());
    assert!(exit == 2 && out.contains(said), "{out}");
    assert!(everything() == before, "{said}: something was written");
}

#[test]
fn what_was_kept_of_a_case_that_is_not_here_is_refused() {
    let world = corpus();
    let kept = kept(&world);
    fs::rename(kept.join("two/plain"), kept.join("two/other")).unwrap();
    check_refused(&world, &kept, "two/other`: there is no such case any more: `reject` forgets");
}

#[test]
fn a_name_that_is_none_of_a_case_is_not_looked_at() {
    for name in ["..x", "two\\..\\x", "Two"] {
        let world = corpus();
        let kept = kept(&world);
        fs::rename(kept.join("two/plain"), kept.join("two").join(name)).unwrap();
        check_refused(&world, &kept, "nothing is pending there");
    }
}

#[test]
fn a_miss_that_ci_kept_is_refused() {
    let world = corpus();
    let kept = world.path("kept");
    world.cli(&["two/plain", "--pending", kept.to_str().unwrap()], registry::<SWALLOWS_A_READ>());
    check_refused(&world, &kept, "`miss` is nothing to accept");
}

#[test]
fn what_was_not_kept_whole_is_refused_by_all_that_take_it() {
    let remove = |path: &Path| fs::remove_file(path).unwrap();
    let edit: &dyn Fn(&Path) = &|path: &Path| fs::write(path, "edited").unwrap();
    for (place, damage) in [
        ("expect/envelope.json", &remove as &dyn Fn(&Path)),
        ("expect/stdout.txt", &remove),
        ("expect/stdout.txt", edit),
        ("expect/stderr.txt", edit),
        (".expect-new", &|new: &Path| fs::rename(new.with_file_name("expect"), new).unwrap()),
    ] {
        let world = corpus();
        let kept = kept(&world);
        damage(&kept.join("two/plain").join(place));
        check_refused(&world, &kept, "it is not there as it was kept");
        for verb in [&["review"][..], &["diff"], &["report", "--markdown", "-"]] {
            let arguments = [verb, &["*", "--from", kept.to_str().unwrap()]].concat();
            let (exit, out) = world.cli(&arguments, registry::<RECORDED>());
            assert!(exit > 0 && out.contains("run the case again"), "{place}, {verb:?}: {out}");
        }
        // Run again, it is kept whole.
        world.cli(&["two/plain", "--pending", kept.to_str().unwrap()], registry::<MORE_LINES>());
        let accept = ["accept", "*", "--from", kept.to_str().unwrap()];
        assert_eq!(world.cli(&accept, registry::<RECORDED>()).0, 0);
        assert_eq!(world.cli(&["two/plain"], registry::<MORE_LINES>()).0, 0);
    }
}

#[test]
fn what_says_that_nothing_was_kept_or_is_of_another_format_is_refused() {
    let world = corpus();
    let kept = kept(&world);
    let path = kept.join("two/plain/pending.json");
    let whole = fs::read_to_string(&path).unwrap();
    fs::remove_dir_all(kept.join("two/plain/expect")).unwrap();
    sealed(&kept.join("two/plain"));
    check_refused(&world, &kept, "expect/envelope.json`: it is not there as it was kept");
    for format in ["1", "3"] {
        let other = whole.replace("\"format\": 2", &format!("\"format\": {format}"));
        fs::write(&path, other).unwrap();
        let said = format!("its format is {format}, this build's is 2: run the case again");
        check_refused(&world, &kept, &said);
    }
}

#[cfg(unix)]
#[test]
fn links_in_what_ci_kept_are_not_followed() {
    use std::os::unix::fs::symlink;

    let link = |from: &Path, to: &Path| {
        if from.is_dir() {
            fs::remove_dir_all(from).unwrap();
        } else if from.exists() {
            fs::remove_file(from).unwrap();
        }
        symlink(to, from).unwrap();
    };
    for place in [
        "two/plain/expect/stdout.txt",
        "two/plain/expect/added",
        "two/plain/expect",
        "two/plain/given",
        "two/plain/pending.json",
    ] {
        let world = corpus();
        let kept = kept(&world);
        let elsewhere = world.path("elsewhere");
        let target = kept.join(place);
        match target.is_dir() {
            true => fs::rename(&target, &elsewhere).unwrap(),
            false if target.exists() => fs::copy(&target, &elsewhere).map(drop).unwrap(),
            false => fs::write(&elsewhere, "not for everybody").unwrap(),
        }
        link(&target, &elsewhere);
        check_refused(&world, &kept, "a link is not followed");
        for verb in ["review", "diff"] {
            let arguments = [verb, "*", "--from", kept.to_str().unwrap()];
            let (exit, out) = world.cli(&arguments, registry::<RECORDED>());
            assert!(exit > 0 && out.contains("a link is not followed"), "{out}");
        }
    }
    // Folders of a case, or of all, behind a link are none.
    for place in ["two/plain", "two"] {
        let world = corpus();
        let kept = kept(&world);
        let elsewhere = world.path("elsewhere");
        fs::rename(kept.join(place), &elsewhere).unwrap();
        link(&kept.join(place), &elsewhere);
        check_refused(&world, &kept, "nothing is pending there");
    }
}
