//! A small recording, and a client that speaks plain HTTP over a socket.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use huygens_record::{
    Batch, BatchKind, Field, Frame, Group, GroupFrame, GroupKind, Look, RecordingSettings, RecordingWriter,
    Scalar, Stage,
};
use huygens_viewer::Server;
use tungstenite::{ClientRequestBuilder, Message, WebSocket};

/// Spheres in a row.
pub fn stage(spheres: usize) -> Stage {
    let field =
        |name: &str, unit: &str| Field { name: name.to_owned(), unit: unit.to_owned(), components: 3 };
    let group = Group {
        name: "grains".to_owned(),
        kind: GroupKind::Particles,
        names: Vec::new(),
        fields: vec![field("position", "m")],
        constants: Vec::new(),
        constant_values: Vec::new(),
    };
    let look = Look { name: "red".to_owned(), color: [0.8, 0.1, 0.1, 1.0], roughness: 0.5, metal: false };
    let batch = Batch {
        kind: BatchKind::Sphere,
        group: 0,
        mesh: None,
        visual: false,
        items: (0..spheres as u32).collect(),
        looks: vec![0; spheres],
        sizes: vec![0.1; spheres],
        positions: Vec::new(),
        rotations: Vec::new(),
    };
    let scalar = Scalar { name: "energy".to_owned(), unit: "J".to_owned() };
    Stage {
        name: "row".to_owned(),
        generator: "test".to_owned(),
        up: [0.0, 0.0, 1.0],
        groups: vec![group],
        scalars: vec![scalar],
        looks: vec![look],
        batches: vec![batch],
        ..Stage::default()
    }
}

/// The spheres at a time that is a multiple of 1/8 s, so that it is exact.
pub fn frame(spheres: usize, index: usize) -> Frame {
    let time = index as f64 / 8.0;
    let mut state = index as u32 + 1;
    let position = (0..3 * spheres).map(|_| {
        // Numbers without pattern, so that nothing can be packed away.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state as f32 / u32::MAX as f32
    });
    let groups = vec![GroupFrame { count: spheres, fields: vec![position.collect()] }];
    Frame { time, step: 10 * index as u64, scalars: vec![-time], groups }
}

/// Smallest and largest numbers of some frames, by each component and by their magnitude, as the page reads them.
pub fn ranges_by_hand(spheres: usize, frames: impl Iterator<Item = usize>) -> serde_json::Value {
    let values: Vec<f32> =
        frames.flat_map(|index| frame(spheres, index).groups[0].fields[0].clone()).collect();
    let magnitude = |item: &[f32]| item.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt() as f32;
    let range = |part: usize| {
        let list = values.chunks(3).map(|item| if part < 3 { item[part] } else { magnitude(item) });
        list.fold([f32::MAX, f32::MIN], |[low, high], x| [low.min(x), high.max(x)])
    };
    serde_json::json!([[[range(0), range(1), range(2), range(3)]]])
}

pub fn writer(path: &Path, spheres: usize) -> RecordingWriter {
    let settings = RecordingSettings { interval: 0.0, ..RecordingSettings::default() };
    RecordingWriter::create(path, &stage(spheres), &settings).unwrap()
}

/// A finished recording in the folder of a run.
pub fn record(folder: &Path, spheres: usize, frames: usize) -> PathBuf {
    let path = folder.join("run.hrec");
    let mut writer = writer(&path, spheres);
    for index in 0..frames {
        writer.push(frame(spheres, index)).unwrap();
    }
    writer.finish().unwrap();
    path
}

/// An answer of the server.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let prefix = format!("{}:", name.to_ascii_lowercase());
        let line = self.head.lines().find(|line| line.to_ascii_lowercase().starts_with(&prefix))?;
        Some(line[prefix.len()..].trim())
    }
}

/// Sends a request with just these headers and reads to the end.
pub fn exchange(server: &Server, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(request(method, path, headers).as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("an answer with a head");
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head, body: bytes[end + 4..].to_vec() }
}

fn request(method: &str, path: &str, headers: &[(&str, &str)]) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text + "\r\n"
}

/// The headers of a client that is let in.
pub fn authorized(server: &Server) -> [(&'static str, String); 2] {
    [("Host", server.address().to_string()), ("Authorization", format!("Bearer {}", server.token()))]
}

/// Asks as the page does.
pub fn ask(server: &Server, path: &str) -> Answer {
    let headers = authorized(server);
    exchange(server, "GET", path, &headers.each_ref().map(|(name, value)| (*name, value.as_str())))
}

/// Opens the socket of the page; None where the server refuses.
pub fn connect(server: &Server, protocol: &str, origin: Option<&str>) -> Option<WebSocket<TcpStream>> {
    let stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let uri = format!("ws://{}/ws", server.address()).parse().unwrap();
    let mut request = ClientRequestBuilder::new(uri).with_sub_protocol(protocol);
    if let Some(origin) = origin {
        request = request.with_header("Origin", origin);
    }
    Some(tungstenite::client(request, stream).ok()?.0)
}

/// The socket of a page of this server.
pub fn page_socket(server: &Server) -> WebSocket<TcpStream> {
    let origin = format!("http://{}", server.address());
    connect(server, &format!("huygens.{}", server.token()), Some(&origin))
        .expect("the server lets its page in")
}

/// The next event that the server tells.
pub fn event(socket: &mut WebSocket<TcpStream>) -> serde_json::Value {
    loop {
        match socket.read().expect("an event") {
            Message::Text(text) => return serde_json::from_str(&text).unwrap(),
            Message::Close(_) => panic!("closed instead of an event"),
            _ => {}
        }
    }
}

/// Waits for something that must come.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "{what} did not come");
        std::thread::sleep(Duration::from_millis(10));
    }
}
