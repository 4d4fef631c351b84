//! Graphics processors, on which laws run through CubeCL.

use cubecl::prelude::*;
use cubecl::server::Handle;
use cubecl::wgpu::{AutoGraphicsApi, GraphicsApi, WgpuDevice, WgpuRuntime};

/// The runtime: wgpu, and through it Vulkan, Metal or Direct3D.
pub type DeviceRuntime = WgpuRuntime;

/// The reason why a device could not be used.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The machine has no device.
    #[error(
        "no device was found through {interface}: install a driver (on Debian, `mesa-vulkan-drivers` runs on any processor)"
    )]
    None {
        /// The interface that was tried.
        interface: String,
    },
    /// Results could not be read back.
    #[error("results could not be read from the device: {reason}")]
    Read {
        /// The error of the device.
        reason: String,
    },
}

/// A device that is ready for work.
#[derive(Clone)]
pub struct Device {
    client: ComputeClient<DeviceRuntime>,
}

impl Device {
    /// The best device of the machine, unless `CUBECL_WGPU_DEFAULT_DEVICE` names another.
    pub fn open() -> Result<Self, DeviceError> {
        let interface = AutoGraphicsApi::backend();
        if DeviceRuntime::enumerate_all_devices(&interface).is_empty() {
            return Err(DeviceError::None { interface: format!("{interface:?}") });
        }
        Ok(Self { client: DeviceRuntime::client(&WgpuDevice::default()) })
    }

    /// The client with which kernels are launched.
    pub fn client(&self) -> &ComputeClient<DeviceRuntime> {
        &self.client
    }

    /// Copies numbers to the device.
    pub fn upload(&self, numbers: &[f32]) -> Handle {
        self.client.create_from_slice(f32::as_bytes(numbers))
    }

    /// Memory for `count` numbers on the device.
    pub fn room(&self, count: usize) -> Handle {
        self.client.empty(count * size_of::<f32>())
    }

    /// Copies numbers from the device.
    pub fn download(&self, handle: Handle) -> Result<Vec<f32>, DeviceError> {
        let bytes =
            self.client.read_one(handle).map_err(|e| DeviceError::Read { reason: format!("{e:?}") })?;
        Ok(f32::from_bytes(&bytes).to_vec())
    }
}
