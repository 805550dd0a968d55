import { present } from '../../contract/trees';

/**
 * How `perf` handles an option of perf_analyzer. `same`: same name; `mapped`: another option does it; `idle`: accepted
 * without effect; `analyzer`: the built-in load generator lacks it, so perf_analyzer measures.
 */
type Fate = 'same' | 'mapped' | 'idle' | 'analyzer' | 'refused';

export interface AnalyzerOption {
  readonly flags: string;
  readonly is: Fate;
  /** The equivalent option of `perf`. */
  readonly here?: string;
  /** A note for the guide and for when the option is typed. */
  readonly note?: string;
  /** Range of values that perf_analyzer accepts: the least whole number, or a list. */
  readonly least?: number;
  readonly of?: readonly string[];
  /** The only value that the built-in load generator supports. */
  readonly usual?: string;
  /** Passed on if perf_analyzer measures. */
  readonly forwarded?: boolean;
}

type Rest = Pick<AnalyzerOption, 'least' | 'of' | 'usual' | 'forwarded'>;

const rowOf =
  (is: Fate) =>
  (flags: string, note?: string, rest: Rest = {}): AnalyzerOption => ({
    flags,
    is,
    ...present({ note }),
    ...rest,
  });
const [same, idle, analyzer, refused] = [rowOf('same'), rowOf('idle'), rowOf('analyzer'), rowOf('refused')];
const mapped = (flags: string, here: string, note?: string, rest?: Rest): AnalyzerOption => ({
  ...rowOf('mapped')(flags, note, rest),
  here,
});

const formats = { of: ['binary', 'json'], usual: 'binary' };
const certificateTypes = { of: ['PEM', 'DER'] };

/** Every option of perf_analyzer in each release that is installed here, in the order of its help. */
export const analyzerOptions: readonly AnalyzerOption[] = [
  mapped('--version', '--version', 'prints the version of the workbench'),
  same('-m <model>', 'repeat it to load several models at once'),
  same('-x <version>'),
  same('--bls-composing-models <models>', 'the models of an ensemble are always found'),
  idle('--model-signature-name <name>', 'used only with TensorFlow Serving'),
  mapped('--service-kind <kind>', '-u', 'only `triton`, and `openai` with `--endpoint`', {
    of: ['triton', 'openai', 'tfserving', 'torchserve', 'triton_c_api', 'dynamic_grpc'],
  }),
  same('--endpoint', '`v1/chat/completions` is `chat`; also `generate-stream` and `grpc-stream`'),
  idle('-v', 'the table always has all columns'),
  idle('-a, --async', 'requests are always asynchronous, on as many connections as the load needs', {
    forwarded: true,
  }),
  idle('--sync', 'requests are always asynchronous, with as many in flight', { forwarded: true }),
  same('-p, --measurement-interval <ms>', 'a unit may follow: `5s`'),
  same('--measurement-mode <mode>'),
  same('--measurement-request-count <n>'),
  same(
    '--concurrency-range <start:end:step>',
    'also a list: `1,4,16`; an `end` of 0 continues until the limit of `-l`',
  ),
  refused('--periodic-concurrency-range <start:end:step>', 'the load of a level does not change'),
  idle('--request-period <n>', 'used only with --periodic-concurrency-range', { least: 1 }),
  refused('--session-concurrency <n>', 'applies only to OpenAI endpoints'),
  analyzer('--request-parameter <name:value:type>', 'only over gRPC'),
  same(
    '--request-rate-range <start:end:step>',
    'also a list; an `end` of 0 continues until the limit of `-l`',
  ),
  same('--request-distribution <name>'),
  same('--request-intervals <file>'),
  idle('--serial-sequences', 'a sequence always has one request in flight'),
  mapped('--binary-search', '--search binary', '`step` is the precision'),
  same('--num-of-sequences <n>'),
  same(
    '-l, --latency-threshold <ms>',
    'the limit is on the p99, or on the latency of `--percentile`; `run` also needs `--search`',
  ),
  idle('--max-threads <n>', 'there are as many connections as the load needs', { least: 1, forwarded: true }),
  same('-s, --stability-percentage <n>'),
  same('-r, --max-trials <n>'),
  same('--request-count <n>', 'in every level of a sweep'),
  same('--warmup-request-count <n>', 'in every level of a sweep'),
  refused('--fixed-schedule', 'give the times with --request-intervals'),
  mapped('-t <n>', '--concurrency 4', 'deprecated in perf_analyzer', { least: 1 }),
  mapped('-c <n>', '--concurrency 1:8', 'deprecated in perf_analyzer', { least: 1 }),
  idle('-d', 'the levels of --concurrency-range are measured; deprecated in perf_analyzer'),
  same('-b <n>', 'also a list or a range'),
  same('--input-data <source>', 'also an npz file; several files are sent one after the other'),
  same('--shared-memory <kind>'),
  same('--output-shared-memory-size <bytes>'),
  same('--shape <name:shape>'),
  same('--sequence-length <n>'),
  same('--sequence-length-variation <percent>'),
  same('--sequence-id-range <start:end>'),
  same('--string-length <n>'),
  same('--string-data <text>'),
  analyzer('--input-tensor-format <format>', 'only over HTTP', formats),
  analyzer('--output-tensor-format <format>', 'only over HTTP', formats),
  mapped('-z', '--input-data zero', 'deprecated in perf_analyzer'),
  mapped('--data-directory <path>', '--input-data', 'deprecated in perf_analyzer'),
  same('-u <url>', 'the HTTP or the gRPC address, by default localhost:8000'),
  same('-i <protocol>', '`gRPC`, `HTTP` in any case'),
  mapped('--ssl-grpc-use-ssl [bool]', '-u grpcs://host:8001', 'TLS follows the address'),
  mapped('--ssl-grpc-root-certifications-file <file>', '--tls-ca', 'this name is accepted too'),
  mapped('--ssl-grpc-private-key-file <file>', '--tls-key', 'this name is accepted too; PEM only'),
  mapped('--ssl-grpc-certificate-chain-file <file>', '--tls-cert', 'this name is accepted too; PEM only'),
  mapped('--ssl-https-verify-peer <number>', '--tls-insecure', '0 switches all checks off', {
    of: ['0', '1'],
  }),
  mapped(
    '--ssl-https-verify-host <number>',
    '--tls-insecure',
    '0 switches all checks off; `--tls-server-name` expects another name',
    {
      of: ['0', '1', '2'],
    },
  ),
  mapped('--ssl-https-ca-certificates-file <file>', '--tls-ca', 'this name is accepted too'),
  mapped('--ssl-https-client-certificate-file <file>', '--tls-cert', 'this name is accepted too; PEM only'),
  mapped('--ssl-https-client-certificate-type <type>', '--tls-cert', 'only `PEM`', certificateTypes),
  mapped('--ssl-https-private-key-file <file>', '--tls-key', 'this name is accepted too; PEM only'),
  mapped('--ssl-https-private-key-type <type>', '--tls-key', 'only `PEM`', certificateTypes),
  same('-f <file>', 'columns and units of the reports'),
  same('--profile-export-file <file>', 'times of single requests, without their values'),
  same('-H <header>', 'also over gRPC; its value is not kept'),
  same('--streaming'),
  analyzer('--grpc-compression-algorithm <name>', 'only over gRPC', {
    of: ['none', 'gzip', 'deflate'],
    usual: 'none',
  }),
  idle('--grpc-method <name>', 'used only with services other than Triton'),
  analyzer('--trace-level <level>', 'a setting of Triton', { of: ['OFF', 'TIMESTAMPS', 'TENSORS'] }),
  analyzer('--trace-rate <n>', 'a setting of Triton', { least: 1 }),
  analyzer('--trace-count <n>', 'a setting of Triton', { least: -1 }),
  analyzer('--log-frequency <n>', 'a setting of Triton', { least: 0 }),
  idle('--triton-server-directory <path>', 'used only with Triton in the same process'),
  same('--model-repository <path>', 'starts the local Triton on it, in a process of its own'),
  idle('--verbose-csv', 'the CSV file has every column'),
  idle('--collect-metrics', 'metrics are always collected'),
  same('--metrics-url <url>'),
  same('--metrics-interval <ms>'),
  same('--percentile <n>'),
  refused('--enable-mpi', 'several models are measured at once with -m MODEL -m MODEL'),
];
