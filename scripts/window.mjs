import { runCampaign, windows } from './lib/test-parts.mjs';

const help = `npm run test:window
Goes through the window in ways that each take minutes: an expert who changes every field, a finished run that is changed and
continued, a window that is closed while it measures, and the demo on a computer with Docker and none of the tools. npm test
goes from a preset, one's own model and a study to their reports. Takes ten minutes. Exit code 1: one of them failed.`;

await runCampaign(windows('window-campaign'), help, { images: true });
