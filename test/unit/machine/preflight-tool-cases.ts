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
    what: 'Triton missing',
    change: { tools: { missing: ['triton'], installable: true } },
    status: 'problem',
    finding: ['Not installed: Triton.'],
    remedy: ['triton-workbench setup', 'run in Docker containers'],
  },
  {
    id: 'tools',
    what: 'everything missing, on another system and without Docker',
    change: {
      tools: { missing: ['python', 'triton', 'perf-analyzer'], installable: false },
      docker: unreachableDocker('absent'),
    },
    status: 'problem',
    finding: ['the Python environment, Triton and perf_analyzer'],
    remedy: ['on Linux only'],
  },
  {
    id: 'tools',
    what: 'only perf_analyzer missing',
    change: { tools: { missing: ['perf-analyzer'], installable: true } },
    status: 'warning',
    finding: ['Not installed: perf_analyzer.'],
    remedy: ['built-in load generator'],
  },
  {
    id: 'tools',
    what: 'of a run in containers',
    change: { tools: null },
    status: 'not-applicable',
    finding: ['Containers include their own'],
  },
];
