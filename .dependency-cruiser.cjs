/** The boundaries of ARCHITECTURE.md, held by `npm run check`. */
const capabilities =
  'docker|data|readers|machine|engine|triton|formats|perf|accuracy|monitor|own|presets|spec|reports|store|toolkit|platform';

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: '1-core-is-plain-node',
      comment: 'main/ never imports electron, the electron zone or the renderer.',
      severity: 'error',
      from: { path: '^main/' },
      to: { path: '^(electron|renderer)/|^electron$|node_modules/electron/' },
    },
    {
      name: '2-ipc-in-two-files',
      comment: 'The window side is reached through electron/ipc.ts and electron/preload.ts alone.',
      severity: 'error',
      from: { path: '^electron/' },
      to: { path: '^renderer/' },
    },
    {
      name: '3-renderer-knows-the-contract-only',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { path: '^(electron/|main/(?!contract/))|^electron$|node_modules/electron/' },
    },
    {
      name: '3-renderer-has-no-node',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: '4-contract-is-plain',
      severity: 'error',
      from: { path: '^main/contract/' },
      to: { pathNot: '^main/contract/|node_modules/zod/' },
    },
    {
      name: '5-capabilities-do-not-know-the-pipeline',
      severity: 'error',
      from: { path: `^main/(${capabilities})/` },
      to: { path: '^main/(pipeline|cli|core)/|^main/core\\.ts$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'] },
  },
};
