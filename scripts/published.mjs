import { runCampaign, vitest } from './lib/test-parts.mjs';

const help = `npm run test:published
Runs the presets of the published deployments from model code to a report: TFT, FastPitch and nnU-Net with their metrics,
Wide & Deep as SavedModel and as ONNX with FP16, and the tests of its data set in the environment with TensorFlow. npm test
runs one from a published checkpoint, this all five. It also runs the commands of "spec" by hand, and the suite for GPUs
without one. Takes twelve minutes. Exit code 1: one did not come to its report.`;

await runCampaign(vitest('published-campaign'), help);
