import { runCampaign, vitest } from './lib/test-parts.mjs';

const help = `npm run test:inputs
Compares what the command line says with every row of docs/guide/inputs.md that a run or perf answers, and measures every
line for perf_analyzer that the tests have, and runs own models of every kind and the files of docs/examples; npm test
takes some of each. Beside the installed perf_analyzer it compares the requests that both send of the same files. Takes a quarter of an hour. Exit code 1: a row or a line says something else, or a run did not come to its report.`;

await runCampaign(vitest('inputs-campaign'), help);
