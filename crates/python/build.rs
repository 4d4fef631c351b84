//! Tells linkers that want to know every symbol that the interpreter brings those of Python.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
