import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHubServer } from './hub-server.mjs';

const id = 'acme/bert-text';
const commit = '0123456789abcdef0123456789abcdef01234567';
const token = 'hf_of_the_local_server';
const license = 'apache-2.0';
const card = ['---', `license: ${license}`, 'tags: [sentiment]', 'base_model: acme/base', '---', ''].join(
  '\n',
);

/** What lies beside the model on the hub, and is never asked for. */
const strangers = [
  ['pytorch_model.bin', Buffer.from('cos\nsystem\n(S"false"\ntR.')],
  ['modeling_bert.py', Buffer.from('raise SystemExit')],
];

function filesOf(folder) {
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return names.map(({ name }) => [name, readFileSync(join(folder, name))]);
}

class Failed extends Error {}
function must(condition, what) {
  if (!condition) throw new Failed(what);
}

const documentOf = ({ stdout }) => {
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
};

const said = ({ stdout, stderr }) => `${stdout}\n${stderr}`;

/**
 * The checks of models of the hub, in order: later ones find in the cache what earlier ones left.
 * @param bench `hub`, the local server, and `start`, which runs the CLI with these arguments and variables
 */
const checks = [
  [
    'a name that is none, a model and a revision that the hub does not have, and one that needs a token, are refused',
    async ({ start }) => {
      const refusals = [
        [['hf:acme'], { HF_TOKEN: token }, 'that may read'],
        [['hf:acme/'], {}, 'is not a model of the Hugging Face hub'],
        [[`hf:${id}@v9`], { HF_TOKEN: token }, 'has no revision v9'],
        [[`hf:${id}`], { HF_TOKEN: 'hf_another' }, 'is gated'],
      ];
      for (const [args, env, words] of refusals) {
        const ended = await start(['run', ...args, '--yes'], env);
        must(ended.code === 2, `exit ${ended.code} of ${args.join(' ')}: ${said(ended)}`);
        must(said(ended).includes(words), `not said "${words}": ${said(ended)}`);
      }
    },
  ],
  [
    'the size is said, and without an answer no weight is downloaded',
    async ({ hub, start, short }) => {
      const ended = await start(['run', `hf:${id}`, ...short]);
      must(ended.code === 2 && said(ended).includes('Add --yes'), `exit ${ended.code}: ${said(ended)}`);
      must(/files, .* KiB/.test(said(ended)), said(ended));
      must(
        !hub.log.some(({ path }) => path.includes('.safetensors') || path.includes('/content/')),
        'weights',
      );
    },
  ],
  [
    'a cancelled download leaves no file that looks whole',
    async ({ hub, start, snapshot }) => {
      hub.faults.stall = 'model.safetensors';
      const isAsked = () => hub.log.some(({ path }) => path.startsWith('/content/'));
      const ended = await start(['data', 'fetch', `hf:${id}`], {}, { interruptWhen: isAsked });
      hub.faults.stall = null;
      must(ended.code === 130, `exit ${ended.code}: ${said(ended)}`);
      must(!readdirSync(snapshot).includes('model.safetensors'), 'the weights are there');
    },
  ],
  [
    'content that is not what the hub publishes is refused',
    async ({ hub, start, snapshot }) => {
      hub.faults.corrupt = 'model.safetensors';
      const ended = await start(['data', 'fetch', `hf:${id}`]);
      hub.faults.corrupt = null;
      must(ended.code === 1 && said(ended).includes('does not have the hash'), said(ended));
      must(!readdirSync(snapshot).includes('model.safetensors'), 'the weights are there');
    },
  ],
  [
    'a lost connection is resumed, and the run has revision, license and hashes',
    async ({ hub, start, short, results }) => {
      const before = hub.log.length;
      hub.faults.dropOnce = 'model.safetensors';
      const ended = await start(['run', `hf:${id}`, '--yes', '--name', 'of-hub', ...short]);
      const document = documentOf(ended);
      must(ended.code === 0, `exit ${ended.code}: ${said(ended)}`);
      results.dir = document.dir;
      const contents = hub.log.slice(before).filter(({ path }) => path.startsWith('/content/'));
      must(contents.length > 1, 'the weights were asked for once');
      const { hub: place, weights, card: stated } = document.modelRecord;
      must(place.id === id && place.revision === commit, JSON.stringify(place));
      must(weights[0].sha256 === hub.files.find(({ path }) => path === 'model.safetensors').sha256, 'hash');
      must(stated.license === license && stated.baseModels[0] === 'acme/base', JSON.stringify(stated));
      const asked = hub.log.map(({ path }) => path).join('\n');
      must(!strangers.some(([name]) => asked.includes(name)), 'a pickle or code was asked for');
    },
  ],
  [
    'report, show and bundle name them',
    async ({ start, results, own }) => {
      const shown = await start(['show', 'of-hub']);
      const written = ['report.html', 'report.md', 'report.json'].map((name) =>
        readFileSync(join(results.dir, 'results', name), 'utf8'),
      );
      const bundle = join(own, 'bundle');
      const bundled = await start(['bundle', 'of-hub', '--out', bundle]);
      must(bundled.code === 0, said(bundled));
      for (const text of [shown.stdout, ...written, readFileSync(join(bundle, 'README.md'), 'utf8')]) {
        for (const part of [id, commit, license])
          must(text.includes(part), `${part} is not in ${text.slice(0, 200)}`);
      }
    },
  ],
  [
    'offline the commit, the branch and HF_HUB_OFFLINE are served from the cache',
    async ({ hub, start, short }) => {
      await hub.close();
      const before = hub.log.length;
      const spec = (reference, env) => start(['spec', reference, '--as', 'json', '--profile', 'quick'], env);
      const pinned = await spec(`hf:${id}@${commit}`);
      must(pinned.code === 0 && pinned.stdout.includes(`snapshots/${commit}`), said(pinned));
      const branch = await spec(`hf:${id}`);
      must(branch.code === 0 && branch.stderr.includes('is in the cache and is used'), said(branch));
      const offline = await spec(`hf:${id}`, { HF_HUB_OFFLINE: '1' });
      must(offline.code === 0 && offline.stderr.includes('HF_HUB_OFFLINE is set'), said(offline));
      const other = await spec('hf:acme/other', { HF_HUB_OFFLINE: '1' });
      must(other.code === 1 && said(other).includes('HF_HUB_OFFLINE is set'), said(other));
      const run = await start(['run', `hf:${id}@${commit}`, ...short], { HF_HUB_OFFLINE: '1' });
      must(run.code === 0, said(run));
      must(hub.log.length === before, 'the hub was asked');
    },
  ],
];

/**
 * Models of the hub: huggingface_hub against a local server that speaks its calls.
 * @param bench `own` home of the runs, `folder` of a model, `short` options of a run, `cli(args, env, how)`
 * @returns rows of what, whether it passed, and why not
 */
export async function checkHub({ own, folder, short, cli }) {
  const files = [...filesOf(folder), ['README.md', Buffer.from(card)], ...strangers];
  const hub = await startHubServer({ id, commit, license, token, files });
  const cache = join(own, 'hf-home');
  mkdirSync(cache);
  const variables = { HF_ENDPOINT: hub.address, HF_HOME: cache, HF_TOKEN: token };
  const start = (args, env = {}, how = {}) => cli(args, { ...variables, ...env }, how);
  const snapshot = join(cache, 'hub', 'models--acme--bert-text', 'snapshots', commit);
  const rows = [];
  try {
    const bench = { hub, start, short, own, snapshot, results: {} };
    for (const [what, check] of checks) {
      const reason = await check(bench).then(
        () => null,
        (error) => String(error instanceof Failed ? error.message : error.stack),
      );
      rows.push({ what, passed: reason === null, reason });
    }
  } finally {
    await hub.close();
  }
  return rows;
}
