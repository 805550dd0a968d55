/** ONNX Runtime reports its sessions, with names and hashes of models, to its makers (since 1.29, on Linux) unless told not to. */
export const noTelemetry = { ORT_DISABLE_TELEMETRY: '1' } as const;

/** What every Python of a run and of a deployment is told, here and in containers. */
export const pythonVariables = { PYTHONDONTWRITEBYTECODE: '1', ...noTelemetry } as const;
