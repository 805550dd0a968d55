import { runCampaign, vitest } from './lib/test-parts.mjs';

const help = `npm run test:hosts
Runs on two Docker Engines of this machine, each behind an sshd of its own in a network namespace of its own, one of them over
50 Mbit/s and 20 ms: both at once, a line that is cut for 30 s in a level, and one that stays cut; a matrix over two hosts;
and a deployment that a host serves; and a run on a host that kill -9 cut, with a copy of its home. Needs root. Takes half an
hour. Exit code 1: something was lost, doubled or left.`;

await runCampaign(vitest('hosts-campaign'), help, { docker: true });
