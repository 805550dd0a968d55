import { isLoopback } from '../../contract/address';
import { applies, valuesAt } from '../../contract/fields/fields';
import { performanceFields } from '../../contract/fields/performance-fields';
import type { RemoteLimits } from '../../contract/load/remote-limits';
import type { ServerLoad } from '../../contract/run/server-load';
import type { Tree } from '../../contract/trees';
import { type LoadedModel, loadFindings } from './load-rules';
import { allOf, type Found, problem, type RuleFinding, unsupported } from './rule-finding';

function host({
  host: name,
  models,
  headerNames = [],
  addresses,
  profileExportFile,
  settings,
}: ServerLoad): Found {
  if (name === undefined) return null;
  const { http, grpc, httpTls, grpcTls } = addresses;
  return allOf(
    !(isLoopback(http) && isLoopback(grpc)) &&
      unsupported(
        'url',
        'A host measures only its own Triton',
        'Give its address as seen from that machine, for example 127.0.0.1:8000; measure another server without a host.',
      ),
    models.length > 1 &&
      unsupported('models', 'A host measures one model at a time', 'Measure the models one after the other.'),
    headerNames.length > 0 &&
      unsupported(
        'headers',
        'A load generator on a host does not support headers',
        'Measure from this machine: values of headers are not written to another one.',
      ),
    (httpTls !== null || grpcTls !== null) &&
      unsupported(
        'url',
        'A load generator on a host does not support TLS',
        'Give the addresses of Triton on that machine, for example http://127.0.0.1:8000.',
      ),
    profileExportFile !== undefined &&
      unsupported(
        'profileExportFile',
        'A load generator on a host does not record single requests',
        'Leave it out, or measure from this machine.',
      ),
    settings.sharedMemory !== 'none' &&
      unsupported(
        'performance.sharedMemory',
        'A load generator in a container of its own shares no memory with that Triton',
        'Choose "none", or measure a run on that host.',
      ),
  );
}

function models({ models: named, modelVersion, byIntervals, tools, headerNames = [] }: ServerLoad): Found {
  const isAnalyzed = tools.includes('perf_analyzer');
  return allOf(
    headerNames.length > 0 &&
      isAnalyzed &&
      unsupported(
        'headers',
        'perf_analyzer is run without headers',
        'Choose the built-in load generator (native): other users of this machine can read the command line of perf_analyzer.',
      ),
    byIntervals &&
      named.some(({ weight }) => weight !== 1) &&
      problem(
        'models',
        'Request intervals do not support weights',
        'Use request rates instead of intervals.',
      ),
    named.length > 1 &&
      isAnalyzed &&
      unsupported(
        'models',
        'perf_analyzer measures one model at a time: the windows of two processes would not coincide',
        'Choose the built-in load generator (native), or measure one model after the other.',
      ),
    named.length > 1 &&
      modelVersion !== '' &&
      problem(
        'modelVersion',
        'A model version applies to one model only',
        'Remove it: the server chooses the version of each model.',
      ),
  );
}

/** What a gateway beside the server does not go with. */
function gateway({
  via,
  host: name,
  models: named,
  tools,
  search,
  settings,
  profileExportFile,
}: ServerLoad): Found {
  if (via === undefined) return null;
  const { replay, stages, sharedMemory, requestCount, streaming, generation } = settings;
  return allOf(
    (tools.length > 1 || tools.includes('perf_analyzer')) &&
      unsupported(
        'via',
        'Only the built-in load generator measures a gateway in turns with the server',
        'Choose the load tool "native", without a cross-check.',
      ),
    (named.length > 1 || name !== undefined) &&
      unsupported(
        'via',
        'A gateway is measured with one model, from this machine',
        'Leave the others, and the host, out.',
      ),
    (search !== null || replay !== undefined || stages !== undefined || requestCount > 0) &&
      unsupported(
        'via',
        'A comparison with --via needs one constant load',
        'Leave the search, the trace, the stages and the number of requests out.',
      ),
    (streaming === true || generation !== undefined) &&
      unsupported(
        'via',
        'A gateway is measured with requests that have one response',
        'Leave streaming and prompts out.',
      ),
    sharedMemory !== 'none' &&
      unsupported(
        'performance.sharedMemory',
        'Shared memory does not go through a gateway',
        'Choose "none".',
      ),
    profileExportFile !== undefined &&
      unsupported(
        'profileExportFile',
        'A comparison with --via does not record single requests',
        'Leave it out.',
      ),
  );
}

/** What goes over HTTP only as the built-in load generator sends it. */
function http({ settings, tools }: ServerLoad): Found {
  const { httpVersion, httpCompression, generation } = settings;
  const field = httpVersion === undefined ? 'performance.httpCompression' : 'performance.httpVersion';
  if (httpVersion === undefined && httpCompression === undefined) return null;
  return allOf(
    tools.includes('perf_analyzer') &&
      unsupported(
        field,
        'Only the built-in load generator speaks HTTP/2 and compresses',
        'Choose the load tool "native", without a cross-check.',
      ),
    generation !== undefined &&
      unsupported(field, 'Prompts are sent uncompressed over HTTP/1.1', 'Leave it out.'),
  );
}

/** What only Triton has. @param server as it was recognized */
export function otherServerFindings(
  { tools, settings, protocol }: Pick<ServerLoad, 'tools' | 'settings' | 'protocol'>,
  server: { readonly title: string | null },
): RuleFinding[] {
  const { title } = server;
  if (title === null) return [];
  return allOf(
    tools.includes('perf_analyzer') &&
      unsupported(
        'performance.loadTool',
        `perf_analyzer needs statistics and a configuration, which ${title} does not have`,
        'Choose the built-in load generator (native), without a cross-check.',
      ),
    settings.sharedMemory !== 'none' &&
      unsupported(
        'performance.sharedMemory',
        `${title} does not have Triton's shared memory`,
        'Choose "none".',
      ),
    settings.streaming === true &&
      protocol === 'grpc' &&
      unsupported('performance.streaming', `${title} does not have Triton's gRPC stream`, 'Leave it out.'),
    settings.sequences !== undefined &&
      unsupported('performance.sequences', `${title} does not have Triton's sequences`, 'Leave them out.'),
  );
}

/** Chosen fields without effect: something else was meant. */
function idle({ settings }: ServerLoad, given: Tree): Found {
  const chosen = valuesAt(given);
  const rows = performanceFields.filter(
    (row) =>
      row.onlyWith?.isNeeded === true &&
      chosen(row.path) !== undefined &&
      !applies(row, valuesAt({ performance: settings })),
  );
  return rows.map(({ path, label, onlyWith }) =>
    problem(
      path,
      `${label} applies only with ${onlyWith?.text ?? ''}`,
      'Leave it out, or add what it needs.',
    ),
  );
}

/**
 * Problems of a running server's load by field path, or by field of the request.
 * @param about.limits of another machine; absent: the load was admitted before
 * @param about.given chosen fields, as a partial specification
 */
export function serverLoadFindings(
  load: ServerLoad,
  about: {
    readonly limits?: RemoteLimits;
    readonly given?: Tree;
    readonly model?: LoadedModel | undefined;
  } = {},
): RuleFinding[] {
  const { settings, search: searched, repeats, levels, addresses, via } = load;
  const { limits = null, given = {}, model = { name: '', maxBatchSize: null, traits: null } } = about;
  const performance = {
    ...settings,
    repeats,
    search: searched?.kind === 'edge' ? ('linear' as const) : (searched?.kind ?? settings.search),
  };
  const all = [addresses.http, addresses.grpc, ...(via === undefined ? [] : [via.address])];
  const here = all.every(isLoopback);
  const running = { isHere: here, limits };
  return allOf(
    idle(load, given),
    host(load),
    models(load),
    gateway(load),
    http(load),
    loadFindings({ performance, levels, model, running, isServer: true, gpus: null }),
  );
}
