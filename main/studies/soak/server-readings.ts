import type { SoakReading } from '../../contract/study/soak';
import { addedReadings } from '../../domain/study/soak/block-of';
import type { ProcessReading } from '../../platform/process-readings';

const stubName = 'triton_python_backend_stub';
/** With the name of its instance, `MODEL_0_0`, as the last but one (Triton 24.01 and later). */
const wordsOfStub = 10;

/** The model of a Python stub by its command line: its file, which backends of Python have elsewhere, or its instance. */
function modelOf(argv: readonly string[]): string {
  const [, file = ''] = argv;
  const folder = /([^/]+)\/\d+\/[^/]+$/.exec(file)?.[1] ?? null;
  const instance = argv.length >= wordsOfStub ? (argv.at(-2) ?? '') : '';
  if (folder !== null && (instance === '' || instance.startsWith(folder))) return folder;
  return instance.replace(/(_\d+){1,2}$/, '') || (folder ?? 'a model');
}

function roleOf({ argv }: ProcessReading): Pick<SoakReading, 'role' | 'model'> {
  const at = argv.findIndex((word) => word.endsWith(stubName));
  if (at !== -1) return { role: 'stub', model: modelOf(argv.slice(at)) };
  return { role: /(^|\/)tritonserver$/.test(argv[0] ?? '') ? 'server' : 'other' };
}

/** For a moment only: it is ending, or a shell that becomes a stub, which a reload has at each turn. */
const isPassing = ({ argv }: ProcessReading): boolean =>
  argv.length === 0 || argv.some((word) => word.includes(`${stubName} `));

/** @param gpu memory by process id, bytes; null: not known. Pure. */
export function serverReadings(
  processes: readonly ProcessReading[],
  gpu: ReadonlyMap<number, number> | null,
): readonly SoakReading[] {
  const lasting = processes.filter((one) => !isPassing(one));
  const readings = lasting.map(({ pid, argv, ...figures }): SoakReading => {
    const own = gpu === null || gpu.size === 0 ? null : (gpu.get(pid) ?? 0);
    return { ...roleOf({ pid, argv, ...figures }), count: 1, ...figures, gpu: own };
  });
  // A Triton that another program started is called otherwise.
  const isNamed = readings.some(({ role }) => role === 'server');
  const first = readings.find(({ role }) => role === 'other');
  return addedReadings(
    readings.map((reading) => (!isNamed && reading === first ? { ...reading, role: 'server' } : reading)),
  );
}

/** The memory of the machine, as metrics report it. */
export const machineReading = (rss: number | null, gpu: number | null): SoakReading => ({
  ...{ role: 'machine', count: 1, rss, gpu },
  ...{ pss: null, virtual: null, shm: null, threads: null, handles: null },
});
