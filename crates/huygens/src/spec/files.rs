//! The files that a scene names, wherever they stand in it.

use std::path::PathBuf;

use super::{FileSource, Scene, Section};

/// A file that an object of a scene names.
pub(crate) struct NamedFile<'a> {
    /// Section of the object.
    pub section: Section,
    /// Place of the object in its section.
    pub index: usize,
    /// Name of the object.
    pub name: String,
    /// Keys and indices that lead from the object to the file, such as `shapes.0.file`.
    pub path: String,
    /// The file, as it is written in the scene.
    pub file: String,
    /// Where the loader puts the place of the file.
    pub found: &'a mut Option<PathBuf>,
}

/// Lists the files of one object.
struct Files<'a, 'b> {
    out: &'b mut Vec<NamedFile<'a>>,
    section: Section,
    index: usize,
    name: String,
}

impl<'a> Files<'a, '_> {
    fn source(&mut self, path: String, source: Option<&'a mut FileSource>) {
        if let Some(FileSource { file, found, .. }) = source {
            self.add(path, file, found);
        }
    }

    fn add(&mut self, path: String, file: &Option<String>, found: &'a mut Option<PathBuf>) {
        if let Some(file) = file {
            self.out.push(NamedFile {
                section: self.section,
                index: self.index,
                name: self.name.clone(),
                path,
                file: file.clone(),
                found,
            });
        }
    }
}

/// All files that are read for a scene, in the order of its sections; included scenes are not among them.
///
/// The hash of a scene takes the files in this order: meshes and heights of bodies and fills, then those of grains,
/// fluids and structures.
pub(crate) fn named_files(scene: &mut Scene) -> Vec<NamedFile<'_>> {
    let mut out = Vec::new();
    for (index, body) in scene.bodies.iter_mut().enumerate() {
        let mut files = Files { out: &mut out, section: Section::Bodies, index, name: body.name.clone() };
        for (k, shape) in body.shapes.iter_mut().enumerate() {
            files.source(format!("shapes.{k}.file"), shape.file_mut());
        }
    }
    for (index, fill) in scene.fills.iter_mut().enumerate() {
        let mut files = Files { out: &mut out, section: Section::Fills, index, name: fill.name.clone() };
        files.source("shape.file".into(), fill.shape.file_mut());
    }
    for (index, grains) in scene.grains.iter_mut().enumerate() {
        let mut files = Files { out: &mut out, section: Section::Grains, index, name: grains.name.clone() };
        for (k, wall) in grains.walls.iter_mut().enumerate() {
            files.source(format!("walls.{k}.file"), wall.file_mut());
        }
        for (k, particles) in grains.particles.iter_mut().enumerate() {
            files.add(format!("particles.{k}.file"), &particles.file, &mut particles.found);
        }
        for (k, fill) in grains.fills.iter_mut().enumerate() {
            if let Some(mesh) = &mut fill.mesh {
                files.source(format!("fills.{k}.mesh.file"), Some(&mut mesh.source.file));
            }
        }
    }
    for (index, fluid) in scene.fluids.iter_mut().enumerate() {
        let mut files = Files { out: &mut out, section: Section::Fluids, index, name: fluid.name.clone() };
        for (k, wall) in fluid.walls.iter_mut().enumerate() {
            files.source(format!("walls.{k}.file"), wall.file_mut());
        }
        for (k, fill) in fluid.fills.iter_mut().enumerate() {
            if let Some(mesh) = &mut fill.mesh {
                files.source(format!("fills.{k}.mesh.file"), Some(&mut mesh.source.file));
            }
        }
    }
    for (index, structure) in scene.structures.iter_mut().enumerate() {
        let name = structure.name.clone();
        let mut files = Files { out: &mut out, section: Section::Structures, index, name };
        files.add("file".into(), &structure.file, &mut structure.found);
    }
    out
}
