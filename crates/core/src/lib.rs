//! Model, state, contracts, assembly, integrators and analyses of Huygens.
