//! Smallest and largest values of the fields of a recording, over all frames.

use huygens_record::recording::GroupKind;
use huygens_record::{Frame, Stage};
use serde_json::{Value, json};

/// Smallest and largest of some numbers; none where there were no finite ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Span(Option<[f32; 2]>);

impl Span {
    fn add(&mut self, value: f32) {
        if !value.is_finite() {
            return;
        }
        let [low, high] = self.0.get_or_insert([value, value]);
        *low = low.min(value);
        *high = high.max(value);
    }
}

/// Ranges of the frames taken so far.
#[derive(Debug, Default)]
pub(crate) struct Ranges {
    /// Number of frames taken.
    pub frames: usize,
    /// For each field of each group: its components, then its magnitude where it has several. Fields of contacts,
    /// which no colour shows, have none.
    spans: Vec<Vec<Vec<Span>>>,
}

impl Ranges {
    /// Takes the next frame. The stage may have grown since the one before.
    pub fn take(&mut self, stage: &Stage, frame: &Frame) {
        self.frames += 1;
        self.spans.resize_with(stage.groups.len(), Vec::new);
        for ((group, values), spans) in stage.groups.iter().zip(&frame.groups).zip(&mut self.spans) {
            if group.kind == GroupKind::Contacts {
                continue;
            }
            spans.resize_with(group.fields.len(), Vec::new);
            for ((field, values), spans) in group.fields.iter().zip(&values.fields).zip(spans) {
                let components = field.components;
                spans.resize(components + usize::from(components > 1), Span::default());
                for item in values.chunks_exact(components.max(1)) {
                    item.iter().zip(spans.iter_mut()).for_each(|(value, span)| span.add(*value));
                    if components > 1 {
                        let square: f64 = item.iter().map(|value| f64::from(*value).powi(2)).sum();
                        spans[components].add(square.sqrt() as f32);
                    }
                }
            }
        }
    }

    /// As the page reads it: by group and field, a list of `[low, high]`, or null where there were no numbers.
    pub fn groups(&self) -> Value {
        let spans = |spans: &Vec<Span>| spans.iter().map(|span| json!(span.0)).collect::<Value>();
        let fields = |fields: &Vec<Vec<Span>>| fields.iter().map(spans).collect::<Value>();
        self.spans.iter().map(fields).collect()
    }
}
