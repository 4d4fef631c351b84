//! Python bindings of Huygens.
