//! Rigid bodies, joints, motors, springs, bushings and shafts.
