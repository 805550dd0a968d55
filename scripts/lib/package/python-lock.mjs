/** The Pythons that an environment is made with, oldest first (main/setup/interpreter.ts). */
export const lockedPythons = ['3.9', '3.10', '3.11', '3.12'];

/** What is resolved, of resources/requirements: each file of an environment that the set-up or a check makes. */
export const lockedFiles = ['runtime.txt', 'tensorflow.txt', 'transformers.txt', 'trees.txt', 'check.txt'];

/** The index of PyTorch is the user's choice, and its builds differ: the lock does not name it. */
const isTorch = (name) => name === 'torch';
/** What PyTorch's build for CUDA depends on and the one for CPUs does not. */
const isCuda = (name) => name === 'triton' || /^(?:cuda|nvidia)-(?!pytriton$)/.test(name);

/** Packages of an output of `uv pip compile --generate-hashes`. Pure. */
export function readCompiled(text) {
  return text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const [, name, version] = /^([a-z0-9-]+)==(\S+)/.exec(line) ?? [];
      return name === undefined ? [] : [{ name, version, hashes: line.match(/sha256:[0-9a-f]{64}/g) ?? [] }];
    });
}

/**
 * An output of uv without the packages that another one has, for an environment that is beside that one. Pure.
 * @param {string} compiled
 * @param {string} beside output of uv, whose versions were constraints
 */
export function withoutPackages(compiled, beside) {
  const held = new Set(readCompiled(beside).map(({ name }) => name));
  return readCompiled(compiled)
    .filter(({ name }) => !held.has(name))
    .map(({ name, version, hashes }) =>
      [`${name}==${version}`, ...hashes.map((hash) => `    --hash=${hash}`)].join(' \\\n'),
    )
    .join('\n');
}

/** The markers that select `used` of the Pythons `all`, both oldest first; "" where every one of them is meant. */
function markersOf(used, all) {
  if (used.length === all.length) return [''];
  const first = all.indexOf(used[0]);
  if (all.slice(first).join() === used.join()) return [`; python_version >= "${used[0]}"`];
  if (all.slice(0, used.length).join() === used.join()) return [`; python_version < "${all[used.length]}"`];
  return used.map((python) => `; python_version == "${python}"`);
}

function linesOf(packages, pythons) {
  return packages
    .flatMap(({ name, version, hashes, used }) =>
      markersOf(used, pythons).map((marker) =>
        [`${name}==${version}${marker}`, ...[...hashes].sort().map((hash) => `    --hash=${hash}`)].join(
          ' \\\n',
        ),
      ),
    )
    .sort();
}

/**
 * One lock of the resolutions for several Pythons.
 * @param {Record<string, string>} compiled output of uv by Python ("3.11"); a Python without a solution is not in it
 * @returns {{packages: string[], cuda: string[]}} entries of requirements, each with its hashes
 */
export function mergeLock(compiled) {
  const pythons = lockedPythons.filter((python) => compiled[python] !== undefined);
  const found = new Map();
  for (const python of pythons) {
    for (const { name, version, hashes } of readCompiled(compiled[python])) {
      const key = `${name}==${version}`;
      const known = found.get(key) ?? { name, version, hashes: new Set(), used: [] };
      for (const hash of hashes) known.hashes.add(hash);
      known.used.push(python);
      found.set(key, known);
    }
  }
  const packages = [...found.values()].filter(({ name }) => !isTorch(name));
  return {
    packages: linesOf(
      packages.filter(({ name }) => !isCuda(name)),
      pythons,
    ),
    cuda: linesOf(
      packages.filter(({ name }) => isCuda(name)),
      pythons,
    ),
  };
}
