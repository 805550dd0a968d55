import type { Case } from './preflight-case';
import { unreachableDocker } from './preflight-input';

export const toolCases: readonly Case[] = [
  {
    id: 'tools',
    what: 'all there',
    change: {},
    status: 'ok',
    finding: ['Triton, perf_analyzer and the Python environment are installed'],
  },
  {
    id: 'tools',
    what: 'Triton missing, in a window of a clone',
    change: { tools: { missing: ['triton'], installable: true } },
    status: 'problem',
    finding: ['Not installed: Triton.'],
    remedy: ['Install the missing tools here', 'run in Docker containers'],
  },
  {
    id: 'tools',
    what: 'everything missing, without scripts and Docker',
    change: {
      tools: { missing: ['python', 'triton', 'perf-analyzer'], installable: false },
      docker: unreachableDocker('absent'),
    },
    status: 'problem',
    finding: ['the Python environment, Triton and perf_analyzer'],
    remedy: ['npm run demo'],
  },
  {
    id: 'tools',
    what: 'only perf_analyzer missing',
    change: { tools: { missing: ['perf-analyzer'], installable: true } },
    status: 'warning',
    finding: ['Not installed: perf_analyzer.'],
    remedy: ['native load generator'],
  },
  {
    id: 'tools',
    what: 'of a run in containers',
    change: { tools: null },
    status: 'not-applicable',
    finding: ['Containers include their own'],
  },
];
