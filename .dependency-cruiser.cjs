/**
 * The capabilities of main/ from the ground up: each may use those of the lines before it, and none of its own line. The
 * pipeline composes them, the core puts all together, the CLI asks the core.
 */
const order = [
  ['platform'],
  ['triton', 'docker', 'readers'],
  ['formats'],
  ['store'],
  ['toolkit', 'machine', 'perf'],
  ['setup', 'hosts', 'golden'],
  ['engine'],
  ['presets'],
  ['data', 'home', 'own', 'reports'],
  ['specification', 'monitor'],
  ['pipeline'],
  ['deployments'],
  ['studies'],
  ['bundle'],
  ['core'],
  ['cli'],
];

/** The rooms of the load generator, likewise (docs/adr/0007). */
const nativeOrder = [
  ['socket'],
  ['http2', 'seam'],
  ['requests'],
  ['grpc', 'http1', 'windows'],
  ['rest'],
  ['generator'],
  ['level'],
];

const orderRules = (folder, lines) =>
  lines.flatMap((line, index) =>
    line.map((name) => {
      const beside = line.filter((other) => other !== name);
      const notBelow = [...beside, ...lines.slice(index + 1).flat()];
      return {
        name: `5-order-of-${folder}-${name}`,
        severity: 'error',
        from: { path: `^${folder}/${name}(/|\\.ts$)` },
        to: { path: notBelow.length === 0 ? '^$' : `^${folder}/(${notBelow.join('|')})(/|\\.ts$)` },
      };
    }),
  );

/** The boundaries of ARCHITECTURE.md, held by `npm run check`. */
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
      name: '3-renderer-knows-contract-and-domain-only',
      severity: 'error',
      from: { path: '^renderer/' },
      to: { path: '^(electron/|main/(?!(contract|domain)/))|^electron$|node_modules/electron/' },
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
      name: '4-domain-is-pure',
      comment: 'What is concluded from the contract: no Node, no library, and nothing of a capability.',
      severity: 'error',
      from: { path: '^main/domain/' },
      to: { pathNot: '^main/(contract|domain)/|node_modules/zod/' },
    },
    {
      name: '6-cli-asks-the-core',
      severity: 'error',
      from: { path: '^main/cli/' },
      to: { path: '^main/(?!cli/|contract/|domain/|platform/|core(?:/reading-core)?\\.ts$)' },
    },
    ...orderRules('main', order),
    ...orderRules('main/perf/native', nativeOrder),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'] },
  },
};
