//! The WebSocket of a page: tells how far the recording is, and takes commands where that is allowed.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::control::{Command, Control, Input, Panel};
use crate::feed::{Feed, Progress};

/// Largest message of a page.
pub(crate) const MESSAGE_LIMIT: usize = 4096;

/// What a conversation is about.
pub(crate) struct Talk {
    pub feed: Arc<Feed>,
    pub control: Option<Control>,
    /// Time between signs of life.
    pub heartbeat: Duration,
}

/// What the page of a conversation has been told.
struct Told {
    progress: Progress,
    inputs: Option<Vec<Input>>,
    pulling: bool,
}

/// The page is gone.
struct Gone;

impl Talk {
    /// Talks until the page leaves; what it pulled is let go.
    pub async fn run(self, mut socket: WebSocket) {
        let mut progress = self.feed.progress();
        let now = *progress.borrow_and_update();
        let mut told = Told { progress: now, inputs: None, pulling: false };
        // The page ends only by leaving, so there is nothing to do with the reason.
        let _ = self.converse(&mut socket, &mut progress, &mut told).await;
        if let (true, Some(control)) = (told.pulling, &self.control) {
            let _ = control.send(Command::Release);
        }
    }

    async fn converse(
        &self,
        socket: &mut WebSocket,
        progress: &mut watch::Receiver<Progress>,
        told: &mut Told,
    ) -> Result<(), Gone> {
        let mut panel = self.control.as_ref().map(Control::panel);
        let mut heartbeat = tokio::time::interval(self.heartbeat);
        tell(socket, &frames_event(told.progress)).await?;
        if let Some(panel) = &mut panel {
            tell_panel(socket, panel, told).await?;
        }
        loop {
            tokio::select! {
                changed = progress.changed() => {
                    changed.map_err(|_| Gone)?;
                    let now = *progress.borrow_and_update();
                    if now.stage != told.progress.stage {
                        tell(socket, &json!({ "type": "stage" })).await?;
                    } else if now.growth != told.progress.growth {
                        tell(socket, &json!({ "type": "stage", "grown": true })).await?;
                    }
                    told.progress = now;
                    tell(socket, &frames_event(now)).await?;
                }
                panel = panel_change(&mut panel) => tell_panel(socket, panel, told).await?,
                _ = heartbeat.tick() => socket.send(Message::Ping(Default::default())).await.map_err(|_| Gone)?,
                message = socket.recv() => match message {
                    Some(Ok(Message::Text(text))) => {
                        if let Err(reason) = self.obey(&text, told) {
                            tell(socket, &json!({ "type": "refused", "reason": reason })).await?;
                        }
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    _ => return Err(Gone),
                },
            }
        }
    }

    fn obey(&self, text: &str, told: &mut Told) -> Result<(), String> {
        let Some(control) = &self.control else {
            return Err("this viewer only shows; it was not started to interact with the run".to_owned());
        };
        let command: Command =
            serde_json::from_str(text).map_err(|error| format!("not a command: {error}"))?;
        let pulls = match command {
            Command::Pull { .. } => Some(true),
            Command::Release => Some(false),
            _ => None,
        };
        control.send(command).map_err(|refusal| refusal.to_string())?;
        told.pulling = pulls.unwrap_or(told.pulling);
        Ok(())
    }
}

fn frames_event(progress: Progress) -> Value {
    let Progress { frames, finished, generation, .. } = progress;
    json!({ "type": "frames", "count": frames, "finished": finished, "generation": generation })
}

async fn tell(socket: &mut WebSocket, event: &Value) -> Result<(), Gone> {
    socket.send(Message::text(event.to_string())).await.map_err(|_| Gone)
}

/// The next change of what can be steered; never, where nothing can.
async fn panel_change(panel: &mut Option<watch::Receiver<Panel>>) -> &mut watch::Receiver<Panel> {
    if let Some(panel) = panel
        && panel.changed().await.is_ok()
    {
        return panel;
    }
    std::future::pending().await
}

async fn tell_panel(
    socket: &mut WebSocket,
    panel: &mut watch::Receiver<Panel>,
    told: &mut Told,
) -> Result<(), Gone> {
    let Panel { paused, inputs } = panel.borrow_and_update().clone();
    tell(socket, &json!({ "type": "state", "paused": paused })).await?;
    let known = told.inputs.as_ref().is_some_and(|known| same_controls(known, &inputs));
    if !known {
        tell(socket, &json!({ "type": "inputs", "inputs": inputs })).await?;
        told.inputs = Some(inputs);
    }
    Ok(())
}

/// Whether sliders and keys are the same; values may differ.
fn same_controls(a: &[Input], b: &[Input]) -> bool {
    let same =
        |(x, y): (&Input, &Input)| x.name == y.name && x.keys == y.keys && (x.min, x.max) == (y.min, y.max);
    a.len() == b.len() && a.iter().zip(b).all(same)
}
