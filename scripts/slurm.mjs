import { runCampaign, vitest } from './lib/test-parts.mjs';

const help = `npm run test:slurm
Runs a matrix of six runs on a private Slurm cluster of two nodes on this machine: one node is drained, one job reaches its
time limit, one is cancelled from outside, and resume completes all of them. Prints how long after each change of a job
the list of runs said it. Then a job that is queued again by scontrol, and one of a login node's commands. Takes 20 minutes.
Exit code 1: something was lost, doubled or not told.`;

await runCampaign(vitest('slurm-campaign'), help);
