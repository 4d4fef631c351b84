//! The server over real sockets: what it gives, to whom, and what it refuses.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::common::*;
use huygens_record::Recording;
use huygens_record::recording::{pack_frame, pack_stage, unpack_stage};
use huygens_viewer::{Command, Control, Input, Server, ServerLimits, ServerSettings, ViewerError};
use serde_json::json;
use tungstenite::Message;

fn start(folder: &std::path::Path, spheres: usize, frames: usize) -> Server {
    record(folder, spheres, frames);
    Server::start(folder, ServerSettings::default()).unwrap()
}

#[test]
fn gives_stage_times_scalars_and_frames() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), 5, 7);
    assert_eq!(ask(&server, "/api/stage").body, pack_stage(&stage(5)).unwrap());
    let times: serde_json::Value = serde_json::from_slice(&ask(&server, "/api/times?from=5").body).unwrap();
    assert_eq!(
        times,
        json!({ "times": [0.625, 0.75], "finished": true, "from": 5, "generation": 0, "growth": 0 })
    );
    let rows: Vec<u8> = [0.75_f64, -0.75].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!(ask(&server, "/api/scalars?from=6").body, rows);
    assert_eq!(ask(&server, "/api/scalars").body.len(), 7 * 16);
    assert_eq!(ask(&server, "/api/scalars?from=99").body, b"");
    for index in [0, 3, 6] {
        let answer = ask(&server, &format!("/api/frame/{index}"));
        assert_eq!(answer.status, 200);
        assert_eq!(answer.body, pack_frame(&frame(5, index)));
    }
    for (path, status) in [
        ("/api/frame/7", 404),
        ("/api/frame/99999999999999999999999", 400),
        ("/api/frame/-1", 400),
        ("/api/frame/x", 400),
        ("/api/times?from=-1", 400),
        ("/api/nothing", 404),
    ] {
        assert_eq!(ask(&server, path).status, status, "{path}");
    }
}

/// The ranges that the server knows, once they are those of all its frames.
fn ranges(server: &Server, frames: usize) -> serde_json::Value {
    let mut groups = serde_json::Value::Null;
    until("the ranges of all frames", || {
        let mut answer: serde_json::Value = serde_json::from_slice(&ask(server, "/api/ranges").body).unwrap();
        groups = answer["groups"].take();
        answer["frames"] == frames && answer["count"] == frames
    });
    groups
}

#[test]
fn ranges_are_those_of_all_frames_and_grow_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.hrec");
    let mut writer = writer(&path, 50);
    let written = |count| until("frames", || Recording::open(&path).is_ok_and(|r| r.frame_count() == count));
    (0..3).for_each(|index| writer.push(frame(50, index)).unwrap());
    written(3);
    let server = Server::start(&path, ServerSettings::default()).unwrap();
    let before = ranges(&server, 3);
    assert_eq!(before, ranges_by_hand(50, 0..3));
    (3..9).for_each(|index| writer.push(frame(50, index)).unwrap());
    writer.finish().unwrap();
    let after = ranges(&server, 9);
    assert_eq!(after, ranges_by_hand(50, 0..9));
    assert_ne!(after, before);
    // Another run under the same name.
    record(folder.path(), 4, 3);
    assert_eq!(ranges(&server, 3), ranges_by_hand(4, 0..3));
}

#[test]
fn gives_the_page_with_a_strict_policy() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), 1, 1);
    let host = server.address().to_string();
    let get = |path: &str| exchange(&server, "GET", path, &[("Host", &host)]);
    let page = get("/?token=whatever");
    assert_eq!(page.status, 200);
    assert!(String::from_utf8(page.body.clone()).unwrap().contains("<title>Huygens</title>"));
    let policy = page.header("Content-Security-Policy").unwrap();
    for part in
        ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", &format!("ws://{host};")]
    {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(get("/assets/js/main.js").header("Content-Type"), Some("text/javascript; charset=utf-8"));
    assert_eq!(get("/assets/style.css").header("X-Content-Type-Options"), Some("nosniff"));
    assert_eq!(page.header("Referrer-Policy"), Some("no-referrer"));
    for path in [
        "/assets/../Cargo.toml",
        "/assets/js/../../Cargo.toml",
        "/assets/%2e%2e/Cargo.toml",
        "/assets/..%2f..%2fCargo.toml",
        "/assets//etc/passwd",
        "/assets/js/order.txt",
        "/run.hrec",
    ] {
        assert_eq!(get(path).status, 404, "{path}");
        assert!(get(path).header("Content-Security-Policy").is_some());
    }
    assert_eq!(exchange(&server, "POST", "/", &[("Host", &host)]).status, 405);
}

#[test]
fn refuses_strangers() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), 1, 1);
    let host = server.address().to_string();
    let bearer = format!("Bearer {}", server.token());
    let try_with = |headers: &[(&str, &str)]| exchange(&server, "GET", "/api/stage", headers).status;
    let (host, token) = (("Host", host.as_str()), ("Authorization", bearer.as_str()));
    assert_eq!(try_with(&[host, token]), 200);
    assert_eq!(try_with(&[host]), 401);
    assert_eq!(try_with(&[host, ("Authorization", "Bearer wrong")]), 401);
    assert_eq!(try_with(&[host, ("Authorization", &bearer[..bearer.len() - 1])]), 401);
    assert_eq!(try_with(&[host, token, token]), 401, "two tokens are none");
    assert_eq!(try_with(&[("Host", "evil.example"), token]), 403);
    assert_eq!(try_with(&[host, token, ("Origin", "http://evil.example")]), 403);
    assert_eq!(try_with(&[host, token, ("Origin", "null")]), 403);
    let own = format!("http://{}", server.address());
    assert_eq!(try_with(&[host, token, ("Origin", &own)]), 200);
    assert_eq!(try_with(&[host, token, ("Content-Length", "5")]), 413);
    let long = format!("/api/times?from={}", "0".repeat(5000));
    assert_eq!(exchange(&server, "GET", &long, &[host, token]).status, 414);
    let protocol = format!("huygens.{}", server.token());
    assert!(connect(&server, "huygens.wrong", Some(&own)).is_none());
    assert!(connect(&server, &protocol, Some("http://evil.example")).is_none());
    assert!(connect(&server, &protocol, Some(&own)).is_some());
}

#[test]
fn tells_of_a_growing_file_its_end_and_its_successor() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.hrec");
    let mut writer = writer(&path, 3);
    writer.push(frame(3, 0)).unwrap();
    until("the first frame", || Recording::open(&path).is_ok_and(|recording| recording.frame_count() == 1));
    let server = Server::start(&path, ServerSettings::default()).unwrap();
    let mut socket = page_socket(&server);
    let frames = |count: usize, finished: bool, generation: u64| json!({ "type": "frames", "count": count, "finished": finished, "generation": generation });
    assert_eq!(event(&mut socket), frames(1, false, 0));
    writer.push(frame(3, 1)).unwrap();
    assert_eq!(event(&mut socket), frames(2, false, 0));
    assert_eq!(ask(&server, "/api/frame/1").body, pack_frame(&frame(3, 1)));
    writer.finish().unwrap();
    assert_eq!(event(&mut socket), frames(2, true, 0));
    record(folder.path(), 4, 3);
    // The new file may be seen before it is complete.
    assert_eq!(event(&mut socket), json!({ "type": "stage" }));
    loop {
        let news = event(&mut socket);
        assert!(news["generation"].as_u64() > Some(0), "{news}");
        if news["count"] == 3 && news["finished"] == true {
            break;
        }
    }
    assert_eq!(ask(&server, "/api/frame/2").body, pack_frame(&frame(4, 2)));
}

#[test]
fn tells_of_a_stage_that_grows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.hrec");
    let mut writer = writer(&path, 3);
    writer.push(frame(3, 0)).unwrap();
    until("the first frame", || Recording::open(&path).is_ok_and(|recording| recording.frame_count() == 1));
    let server = Server::start(&path, ServerSettings::default()).unwrap();
    let mut socket = page_socket(&server);
    assert_eq!(event(&mut socket)["type"], "frames");
    let mut grown = stage(3);
    let mut late = grown.groups[0].clone();
    late.name = "late".to_owned();
    grown.groups.push(late.clone());
    writer.restage(&grown).unwrap();
    let mut next = frame(3, 1);
    next.groups.push(next.groups[0].clone());
    writer.push(next.clone()).unwrap();
    assert_eq!(event(&mut socket), json!({ "type": "stage", "grown": true }));
    while event(&mut socket)["count"] != 2 {}
    let shown = unpack_stage(&ask(&server, "/api/stage").body).unwrap();
    assert_eq!(shown.groups, grown.groups);
    assert_eq!(ask(&server, "/api/frame/1").body, pack_frame(&next));
    // Frames of before have nothing of what came later.
    let mut before = frame(3, 0);
    before.groups.push(huygens_record::GroupFrame { count: 0, fields: vec![Vec::new()] });
    assert_eq!(ask(&server, "/api/frame/0").body, pack_frame(&before));
    let times: serde_json::Value = serde_json::from_slice(&ask(&server, "/api/times").body).unwrap();
    assert_eq!(times["growth"], 1);
}

#[test]
fn only_shows_unless_a_control_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), 1, 1);
    let mut socket = page_socket(&server);
    assert_eq!(event(&mut socket)["type"], "frames");
    socket.send(Message::text(r#"{"type":"pause"}"#)).unwrap();
    assert_eq!(event(&mut socket)["type"], "refused");
}

#[test]
fn commands_reach_the_run_and_its_state_the_page() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let control = Control::new();
    let keys = vec!["ArrowLeft".to_owned(), "ArrowRight".to_owned()];
    let input = Input { name: "steering".to_owned(), value: 0.5, min: -1.0, max: 1.0, keys };
    control.show_inputs(vec![input.clone()]);
    let settings = ServerSettings { control: Some(control.clone()), ..ServerSettings::default() };
    let server = Server::start(folder.path(), settings).unwrap();
    let mut socket = page_socket(&server);
    assert_eq!(event(&mut socket)["type"], "frames");
    assert_eq!(event(&mut socket), json!({ "type": "state", "paused": false }));
    assert_eq!(event(&mut socket), json!({ "type": "inputs", "inputs": [input] }));
    let wait = || control.wait(Duration::from_secs(30)).expect("a command");
    for (text, command) in [
        (r#"{"type":"pause"}"#, Command::Pause),
        (r#"{"type":"step","count":3}"#, Command::Step { count: 3 }),
        (
            r#"{"type":"input","name":"steering","value":-9}"#,
            Command::Input { name: "steering".to_owned(), value: -1.0 },
        ),
        (
            r#"{"type":"pull","item":2,"point":[0,0,0.5],"target":[1,2,3]}"#,
            Command::Pull { item: 2, point: [0.0, 0.0, 0.5], target: [1.0, 2.0, 3.0] },
        ),
    ] {
        socket.send(Message::text(text)).unwrap();
        assert_eq!(wait(), command);
    }
    control.show_paused(true);
    assert_eq!(event(&mut socket), json!({ "type": "state", "paused": true }));
    for text in ["nonsense", r#"{"type":"explode"}"#, r#"{"type":"input","name":"horn","value":1}"#] {
        socket.send(Message::text(text)).unwrap();
        assert_eq!(event(&mut socket)["type"], "refused", "{text}");
    }
    drop(socket);
    assert_eq!(wait(), Command::Release, "a page that leaves lets go");
}

#[test]
fn long_messages_and_too_many_pages_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let limits = ServerLimits { sockets: 2, ..ServerLimits::default() };
    let server =
        Server::start(folder.path(), ServerSettings { limits, ..ServerSettings::default() }).unwrap();
    let mut socket = page_socket(&server);
    let _second = page_socket(&server);
    let protocol = format!("huygens.{}", server.token());
    assert!(connect(&server, &protocol, None).is_none(), "a third page");
    assert_eq!(event(&mut socket)["type"], "frames");
    socket.send(Message::text(format!(r#"{{"type":"pause{}"}}"#, " ".repeat(5000)))).unwrap();
    let answer = loop {
        match socket.read() {
            Ok(Message::Ping(_)) => {}
            other => break other,
        }
    };
    assert!(!matches!(answer, Ok(Message::Text(_))), "{answer:?}");
    until("the end of the first page", || server.load().sockets == 1);
}

#[test]
fn memory_stays_bounded_while_clients_do_not_read() {
    const SPHERES: usize = 500_000; // 6 MB a frame
    const CLIENTS: usize = 40;
    const BUDGET: u64 = 16 << 20;
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), SPHERES, 2);
    let stall = Duration::from_millis(250);
    let limits = ServerLimits { answer_bytes: BUDGET, stall, ..ServerLimits::default() };
    let server =
        Server::start(folder.path(), ServerSettings { limits, ..ServerSettings::default() }).unwrap();
    assert_eq!(ask(&server, "/api/frame/1").body.len(), pack_frame(&frame(SPHERES, 1)).len());
    let before = resident_bytes();
    let wish = format!(
        "GET /api/frame/1 HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\r\n",
        server.address(),
        server.token()
    );
    // Many wishes at once, more than the operating system buffers, and nobody reads.
    let slow: Vec<TcpStream> = (0..CLIENTS)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address()).unwrap();
            stream.write_all(wish.repeat(20).as_bytes()).unwrap();
            stream
        })
        .collect();
    until("the budget to be used up", || server.load().answer_bytes > BUDGET / 2);
    let (mut most, mut most_resident) = (0, resident_bytes());
    // A client that reads is served, at the latest when the others are given up.
    let mut good = TcpStream::connect(server.address()).unwrap();
    good.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    good.write_all(wish.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
    let mut answer = Vec::new();
    let mut part = vec![0; 1 << 20];
    until("the answer", || {
        most = most.max(server.load().answer_bytes);
        most_resident = most_resident.max(resident_bytes());
        match good.read(&mut part) {
            Ok(0) => true,
            Ok(count) => {
                answer.extend_from_slice(&part[..count]);
                false
            }
            Err(_) => false,
        }
    });
    assert!(answer.ends_with(&pack_frame(&frame(SPHERES, 1))));
    assert!(most <= BUDGET, "{most} bytes wait");
    if let (Some(before), Some(after)) = (before, most_resident) {
        // Beside the budget: two frames being made, and what the client that reads has got. Without the budget there
        // would be 40 frames of 6 MB.
        assert!(after < before + (80 << 20), "{before} → {after} bytes of memory");
    }
    until("the slow ones to be given up", || server.load().answer_bytes == 0);
    drop(slow);
}

#[test]
fn connections_that_do_nothing_make_room() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let idle = Duration::from_millis(300);
    let limits = ServerLimits { connections: 1, idle, ..ServerLimits::default() };
    let server =
        Server::start(folder.path(), ServerSettings { limits, ..ServerSettings::default() }).unwrap();
    let mut silent = TcpStream::connect(server.address()).unwrap();
    silent.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    assert_eq!(ask(&server, "/api/frame/0").status, 200);
    let end = silent.read(&mut [0; 1]);
    assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
}

#[test]
fn clients_that_send_no_whole_request_keep_nobody_out() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let patient = Duration::from_secs(3600);
    let limits = ServerLimits { connections: 16, head: patient, idle: patient, ..ServerLimits::default() };
    let server =
        Server::start(folder.path(), ServerSettings { limits, ..ServerSettings::default() }).unwrap();
    let mut page = page_socket(&server);
    assert_eq!(event(&mut page)["type"], "frames");
    let begin = |_| {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        // The server may have closed it already.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nX-Slow: ");
        stream
    };
    let slow: Vec<TcpStream> = (0..64).map(begin).collect();
    for _ in 0..3 {
        assert_eq!(ask(&server, "/api/frame/0").status, 200);
    }
    // Neither the talk of the page nor a client with the token made room.
    page.send(Message::text(r#"{"type":"pause"}"#)).unwrap();
    assert_eq!(event(&mut page)["type"], "refused");
    drop(slow);
}

#[test]
fn the_longest_silent_client_without_the_token_makes_room() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let limits = ServerLimits { connections: 2, ..ServerLimits::default() };
    let server =
        Server::start(folder.path(), ServerSettings { limits, ..ServerSettings::default() }).unwrap();
    let wish = |stream: &mut TcpStream| {
        let (host, token) = (server.address(), server.token());
        let text =
            format!("GET /api/times HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        while !answer.ends_with('}') {
            let mut part = [0; 4096];
            let count = stream.read(&mut part).unwrap();
            assert!(count > 0, "the server closed a connection that it should keep");
            answer += str::from_utf8(&part[..count]).unwrap();
        }
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    };
    let connect = || {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    };
    let (mut known, mut stranger) = (connect(), connect());
    wish(&mut known);
    let mut third = connect();
    wish(&mut third);
    assert!(matches!(stranger.read(&mut [0; 1]), Ok(0) | Err(_)), "the stranger was not closed");
    wish(&mut known);
    // Among those with the token, the one that was silent for longer.
    wish(&mut third);
    let mut fourth = connect();
    wish(&mut fourth);
    assert!(matches!(known.read(&mut [0; 1]), Ok(0) | Err(_)), "the first client was not closed");
}

#[test]
fn requests_that_trickle_are_given_up() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1, 1);
    let limits = ServerLimits { head: Duration::from_millis(300), ..ServerLimits::default() };
    let server =
        Server::start(folder.path(), ServerSettings { limits, ..ServerSettings::default() }).unwrap();
    let mut page = page_socket(&server);
    assert_eq!(event(&mut page)["type"], "frames");
    let mut slow = TcpStream::connect(server.address()).unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\nX-Slow: ").unwrap();
    until("the end of the request that trickles", || {
        // What a page sends at the same time is no request that trickles.
        page.send(Message::text(r#"{"type":"pause"}"#)).unwrap();
        assert_eq!(event(&mut page)["type"], "refused");
        let sent = slow.write_all(b"a");
        let end = slow.read(&mut [0; 1]);
        let waits = |error: &std::io::Error| {
            matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
        };
        sent.is_err() || !end.is_err_and(|error| waits(&error))
    });
    assert_eq!(ask(&server, "/api/frame/0").status, 200);
}

/// Memory of this process, where the operating system tells it.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? * 1024)
}

#[test]
fn errors_say_what_helps() {
    let folder = tempfile::tempdir().unwrap();
    let message = |run: &std::path::Path, settings| Server::start(run, settings).unwrap_err().to_string();
    let missing = message(folder.path(), ServerSettings::default());
    assert!(missing.contains("run.hrec") && missing.contains("no recording"), "{missing}");
    let other = folder.path().join("notes.txt");
    std::fs::write(&other, "something else, and long enough to be one").unwrap();
    let wrong = message(&other, ServerSettings::default());
    assert!(wrong.contains("notes.txt") && wrong.contains("not a Huygens recording"), "{wrong}");
    let first = start(folder.path(), 1, 1);
    let port = first.address().port();
    let taken = Server::start(folder.path(), ServerSettings { port, ..ServerSettings::default() });
    let taken = taken.unwrap_err();
    assert!(matches!(taken, ViewerError::PortInUse { .. }), "{taken}");
    first.stop();
    Server::start(folder.path(), ServerSettings { port, ..ServerSettings::default() })
        .expect("the port is free again");
}
