//! The tests of this crate, in one program.

mod golden_scene_files;
mod golden_scene_references;
mod golden_tagged_descriptions;
mod issue_moved_includes;
