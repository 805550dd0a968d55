import { exitCodes } from '../output';

type Exit = readonly [code: number, meaning: string];
type Example = readonly [command: string, what: string];

interface VerbHelp {
  readonly examples: readonly Example[];
  /** In addition to `commonExits`. */
  readonly exits?: readonly Exit[];
}

/** Exit codes with the same meaning for every verb. */
export const commonExits: readonly Exit[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'failed'],
  [exitCodes.usage, 'wrong input: nothing was started'],
];

const cancelled: Exit = [exitCodes.cancelled, 'cancelled by Ctrl-C or SIGTERM'];
const noAnswer = 'no level without too many failed requests or wrong responses';
const runExits: readonly Exit[] = [
  [exitCodes.gate, `accuracy gate not passed, or ${noAnswer}`],
  [exitCodes.paused, 'paused'],
  cancelled,
];

/** Titles of the help, and the verbs below each. */
export const verbGroups: readonly (readonly [title: string, verbs: readonly string[]])[] = [
  [
    'Deploy and measure:',
    [
      ...['run', 'resume', 'spec', 'fields', 'perf', 'search', 'compare', 'best', 'capacity', 'predict'],
      ...['limits', 'trace', 'cold-start', 'soak', 'upgrade', 'import'],
    ],
  ],
  ['Runs:', ['runs', 'show', 'logs', 'open', 'rename', 'pause', 'cancel', 'report', 'studies', 'clean']],
  ['Models and data:', ['presets', 'check', 'init', 'trust', 'data']],
  ['Serving:', ['deploy', 'deployments', 'bundle', 'golden', 'monitor']],
  ['Machine and program:', ['detect', 'hosts', 'setup', 'images', 'settings', 'completion', 'reference']],
];

export const verbHelp: Readonly<Record<string, VerbHelp>> = {
  run: {
    examples: [
      ['run resnet50 --profile quick --name first', 'a small ResNet-50, in a few minutes'],
      [
        'run ./model.onnx --engine docker --p99-budget-ms 20',
        'your own model, and its best level within 20 ms',
      ],
      ['run hf:ORG/NAME --yes', 'a model of the Hugging Face hub, downloaded without asking'],
      ['run resnet50 -b 1,2,4,8 --concurrency-range 1:16:5', 'with the option names of perf_analyzer'],
      ['run --matrix night.yaml --resume', 'many runs; continues the incomplete ones'],
      ['run --matrix night.yaml --hosts gpu1,gpu2', 'many runs over two hosts, one run per host at a time'],
    ],
    exits: runExits,
  },
  resume: {
    examples: [
      ['resume latest', 'continues the newest run'],
      ['resume nightly --set performance.batchSizes=[1,2,4,8] --dry-run', 'what a change would run again'],
      ['resume nightly --from online', 'measures online again'],
    ],
    exits: runExits,
  },
  spec: {
    examples: [
      ['spec resnet50 --precision fp16', 'the complete run.yaml'],
      ['spec resnet50 --as commands', 'every command that a run would execute'],
    ],
  },
  golden: {
    examples: [
      ['golden check ocr.json --url localhost:8000', 'whether the model still returns the recorded outputs'],
    ],
  },
  'golden record': {
    examples: [
      ['golden record --from localhost:8000 --model ocr --output ocr.json', 'eight random samples'],
      [
        'golden record --from localhost:8000 --model ocr --input-data scans.json --compare label=text:case --output ocr.json',
        'your inputs, and a text compared without regard to case',
      ],
    ],
  },
  'golden check': {
    examples: [
      ['golden check ocr.json --url localhost:8000', 'whether the model still returns the recorded outputs'],
      [
        'golden check ocr.json --url localhost:8000 --atol score=1e-2 --json',
        'a wider tolerance, as one JSON document',
      ],
    ],
    exits: [[exitCodes.gate, 'outputs differ by more than their rules permit']],
  },
  fields: { examples: [['fields performance', 'the fields of the load']] },
  perf: {
    examples: [
      ['perf -m resnet50 -u localhost:8000 --concurrency-range 1:8', 'eight levels of concurrency'],
      [
        'perf -m resnet50 -u localhost:8000 -l 20 --search binary --concurrency-range 1:64',
        'the highest load within 20 ms',
      ],
      [
        'perf -m bert -u localhost:8000 --shape ids:128 -f levels.csv',
        'an input with dynamic dimensions, and a CSV file',
      ],
    ],
    exits: [[exitCodes.noAnswer, noAnswer], [exitCodes.paused, 'paused'], cancelled],
  },
  best: {
    examples: [
      ['best --last 5 --p99-budget-ms 20', 'which of the last five runs is best within 20 ms'],
      ['best nightly latest', 'the better of two'],
    ],
  },
  check: {
    examples: [
      ['check ./models', 'every model of a repository, without a server'],
      ['check ./models/ocr/config.pbtxt --json', 'one model, with its composing models'],
    ],
    exits: [[exitCodes.outside, 'Triton would refuse a model']],
  },
  capacity: {
    examples: [
      ['capacity latest --rate 5000 --p99 20ms', 'replicas and GPUs for 5,000 inferences/s within 20 ms'],
      [
        'capacity nightly --rate 5000 --headroom 50% --spare 2 --price-per-hour 2.5 --json',
        'the same with cost, as one JSON document',
      ],
    ],
    exits: [[exitCodes.noAnswer, 'no measured level meets the p99 target']],
  },
  trace: {
    examples: [
      ['trace triton.json', 'a trace file that Triton wrote'],
      ['trace latest', 'the newest run, measured with --trace 200'],
      ['trace ocr --requests 500 --for 2m', 'the next 500 requests to the deployment "ocr"'],
    ],
    exits: [cancelled],
  },
  predict: {
    examples: [
      ['predict latest --rate 500', 'what its p99 would be at 500 requests/s'],
      [
        'predict nightly --rate 500 --instances 2 --queue-delay-us 500 --json',
        'the same on another configuration, as one JSON document',
      ],
    ],
    exits: [[exitCodes.noAnswer, 'the run has no execution times to predict from']],
  },
  compare: {
    examples: [
      ['compare latest~1 latest', 'the newest run against the one before it'],
      ["compare baseline latest --fail-if 'p99>1.1x' --markdown", 'a gate for CI'],
      ['compare published:A30 latest', 'against the published figures'],
      [
        "compare accepted latest --measure --budget 3m --fail-if 'throughput<0.93x'",
        'both again, side by side, until the difference is clear',
      ],
    ],
    exits: [
      [exitCodes.outside, 'beyond a criterion of --fail-if at some level'],
      [
        exitCodes.unclear,
        'a criterion of --fail-if cannot be judged: the noise is larger than the distance or unknown, or a level is not steady; with --measure: the budget ended before a decision, or it was paused',
      ],
      cancelled,
    ],
  },
  import: {
    examples: [
      ['import results.csv --model resnet50 --batch-size 8', 'results of perf_analyzer'],
      ['import results/metrics-*.csv', 'those of Model Analyzer, one run per configuration'],
    ],
  },
  runs: {
    examples: [
      ['runs --status failed,interrupted --limit 10', 'the last runs that did not finish'],
      ['runs --preset resnet50 --json', 'as JSON'],
    ],
  },
  limits: {
    examples: [
      ['limits latest', 'what limits the run, with the evidence'],
      ['limits latest --try 1', 'the effect of the first suggestion, measured in turns'],
    ],
    exits: [[exitCodes.paused, 'with --try: paused'], cancelled],
  },
  'cold-start': {
    examples: [
      ['cold-start latest', 'time to ready, and the first request at each batch size'],
      ['cold-start latest --try --batch-sizes 1,8', 'the same with a warm-up of these batch sizes'],
    ],
    exits: [cancelled],
  },
  show: { examples: [['show latest --p99-budget-ms 20', 'the newest run, and its best level within 20 ms']] },
  logs: {
    examples: [
      ['logs latest -f', 'follows the steps of the run in progress'],
      ['logs nightly deploy --tail 50', 'the last lines of one step'],
      ['logs --application --tail 100', 'the last lines of the window’s log'],
    ],
  },
  open: { examples: [['open nightly', 'the run in the window']] },
  rename: { examples: [['rename latest "fp16 baseline"', 'names the newest run']] },
  pause: { examples: [['pause latest', 'stops before the next level or step']] },
  cancel: { examples: [['cancel latest', 'stops at once and keeps what was measured']] },
  report: { examples: [['report nightly --p99-budget-ms 20', 'the reports with another budget']] },
  clean: {
    examples: [
      ['clean', 'shows the size of the cache, and asks'],
      ['clean --trash --yes', 'empties the trash without asking'],
      ['clean latest', 'deletes one run for good'],
    ],
    exits: [[exitCodes.cancelled, 'nothing was removed: Ctrl-C at the question']],
  },
  presets: { examples: [['presets show resnet50', 'one preset, with its published figures']] },
  'presets show': { examples: [['presets show tft', 'origin, fixes and published figures']] },
  init: { examples: [['init my-model', 'a model folder to fill in']] },
  trust: { examples: [['trust my-model', 'again after each change of its code']] },
  data: { examples: [['data list resnet50', 'its published data sets and checkpoints']] },
  'data list': { examples: [['data list', 'of every preset']] },
  'data fetch': {
    examples: [
      ['data fetch tft --dataset electricity', 'downloads, verifies and prepares it'],
      ['data fetch hf:ORG/NAME@main', 'a model of the Hugging Face hub, into its cache'],
    ],
    exits: [[exitCodes.byHand, 'the source must be downloaded by hand; its steps are printed'], cancelled],
  },
  deploy: {
    examples: [
      ['deploy nightly --name vision', 'keeps the model of a run serving'],
      ['deploy latest --to vision', 'a new version, without a failed request'],
    ],
    exits: [cancelled],
  },
  search: {
    examples: [
      ['search latest --p99 20ms', 'the configuration with the highest rate within 20 ms'],
      [
        'search nightly --load closed --instances 1,2,4 --budget 10m',
        'the highest concurrency, of these instances',
      ],
      ['search nightly --dry-run', 'what would be compared'],
      ['search nightly --p99 20ms --replay july.csv --from 10m --to 20m', 'under recorded traffic'],
      ['search nightly -u localhost:8000', 'on a Triton that is already running, beside its models'],
      [
        'search nightly --from-analyzer config.yaml --dry-run',
        'the configurations that a Model Analyzer file asks for',
      ],
      ['search --from-analyzer config.yaml --p99 20ms', 'the same for the model that the file names'],
    ],
    exits: [
      [exitCodes.noAnswer, 'no configuration sustains any load within the target'],
      [exitCodes.paused, 'paused, or the budget ended before every configuration was judged'],
      cancelled,
    ],
  },
  soak: {
    examples: [
      ['soak nightly --for 8h --rate 60%', 'overnight, at 60 % of the rate that the run sustained'],
      ["soak vision --for 20m --fail-if 'rss-slope>1MB/h'", 'a deployment, as a gate'],
      ['soak nightly --for 20m --reload-every 500', 'the memory that unloading the model leaves behind'],
      ['soak -u localhost:8000 -m ocr --for 1h --rate 20', 'a Triton that is already running'],
    ],
    exits: [
      [exitCodes.outside, 'a process of the server grows faster than a criterion of --fail-if'],
      [exitCodes.unclear, 'a criterion of --fail-if is inconclusive so far, or it was paused'],
      cancelled,
    ],
  },
  upgrade: {
    examples: [
      ['upgrade nightly --to 26.07', 'a run of NVIDIA’s images, to another release'],
      ['upgrade vision --to 26.07 --budget 5m', 'a deployment; asks before moving it'],
      ['upgrade nightly --to ./other-triton', 'a run of the local Triton, to another one'],
      ["upgrade nightly --to 26.07 --fail-if 'p99>1.05x' --json", 'as a gate'],
      ['upgrade --move upgrade-1129-061500', 'the deployment of an earlier upgrade that is ready to move'],
    ],
    exits: [
      [exitCodes.outside, 'do not move: outputs differ, it fails there, or a criterion is exceeded'],
      [exitCodes.unclear, 'a criterion is inconclusive within the budget, or it was paused'],
      cancelled,
    ],
  },
  studies: { examples: [['studies', 'each with how many of its runs are complete']] },
  'studies list': { examples: [['studies list --json', 'as one JSON document']] },
  'studies show': { examples: [['studies show night', 'each run with its result so far']] },
  'studies pause': { examples: [['studies pause night', 'also a study of another terminal or the window']] },
  'studies cancel': { examples: [['studies cancel night', 'no further run starts']] },
  'studies resume': {
    examples: [['studies resume night', 'what is complete is kept']],
    exits: runExits,
  },
  'studies report': {
    examples: [['studies report night --title "Night of 28 Nov"', 'written again, with a title']],
  },
  'studies remove': { examples: [['studies remove night --with-runs', 'its runs go to the trash']] },
  deployments: { examples: [['deployments', 'each with its current state']] },
  'deployments list': { examples: [['deployments list --json', 'as JSON']] },
  'deployments show': { examples: [['deployments show vision', 'addresses, models and client code']] },
  'deployments logs': {
    examples: [['deployments logs vision --tail 50', 'the last lines of its Triton log']],
  },
  'deployments start': { examples: [['deployments start vision', 'on the same ports']] },
  'deployments stop': { examples: [['deployments stop vision', 'keeps its files and ports']] },
  'deployments restart': { examples: [['deployments restart vision', 'stops and starts it']] },
  'deployments rollback': { examples: [['deployments rollback vision', 'the previous version']] },
  'deployments remove': { examples: [['deployments remove vision', 'with its files; runs are kept']] },
  bundle: {
    examples: [
      ['bundle nightly --out ./handover', 'a folder for production'],
      ['bundle nightly --out ./handover --replicas-for-rate 5000 --p99 20ms', 'with planned replicas'],
    ],
  },
  monitor: {
    examples: [
      ['monitor -u localhost:8000', 'until Ctrl-C'],
      [
        'monitor -u localhost:8000 --probe resnet50:2 --for 10m --report night.pdf',
        'with probes and a report',
      ],
    ],
    exits: [
      [exitCodes.alert, 'an alert fired'],
      [exitCodes.unjudged, 'a limit of --alert had no data to judge'],
    ],
  },
  detect: { examples: [['detect --images ngc --gpus all', 'the preflight checks for containers with GPUs']] },
  hosts: { examples: [['hosts', 'every host with its current state']] },
  'hosts list': {
    examples: [
      ['hosts list', 'GPUs, Docker, disk and what runs there'],
      ['hosts list --no-check --json', 'the list only, as JSON'],
    ],
  },
  'hosts add': {
    examples: [
      ['hosts add gpu1 ssh://ada@gpu1.example.com', 'by ssh, with your keys'],
      ['hosts add lab context:lab', 'as the Docker context of that name'],
      [
        'hosts add farm tcp://farm.example.com:2376 --certificates ~/.docker/farm',
        'a Docker daemon with TLS',
      ],
    ],
    exits: [[exitCodes.notReady, 'added, but it is unreachable, or a check found a problem']],
  },
  'hosts show': { examples: [['hosts show gpu1', 'its current state']] },
  'hosts check': {
    examples: [['hosts check gpu1', 'the preflight checks for containers there']],
    exits: [[exitCodes.notReady, 'the host is unreachable, or a check found a problem']],
  },
  'hosts remove': { examples: [['hosts remove gpu1', 'removes it from the list']] },
  setup: {
    examples: [
      ['setup', 'installs Python environment, Triton and perf_analyzer'],
      ['setup --check', 'what is installed, and how much the rest would need'],
      ['setup tensorflow', 'before the first TensorFlow model'],
      ['setup --repair python', 'reinstalls the Python environment'],
    ],
    exits: [[exitCodes.notReady, 'with --check: something is not installed'], cancelled],
  },
  images: { examples: [['images list', 'the Triton and client images']] },
  'images list': { examples: [['images list --json', 'as JSON']] },
  'images build': { examples: [['images build', 'the CPU images']], exits: [cancelled] },
  'images pull': {
    examples: [['images pull nvcr.io/nvidia/tritonserver:24.10-py3', 'an image by tag']],
    exits: [cancelled],
  },
  'images remove': { examples: [['images remove triton-workbench/client-cpu:1', 'an image by tag']] },
  settings: { examples: [['settings', 'every setting with its value']] },
  'settings list': { examples: [['settings list --json', 'as JSON']] },
  'settings get': { examples: [['settings get deployment.engine', 'one value']] },
  'settings set': {
    examples: [
      ['settings set deployment.engine docker', 'new deployments run in Docker'],
      ['settings set deployment.p99BudgetMs 20', 'a budget of 20 ms'],
      ['settings set runs.keepDays 90 --yes', 'older runs move to the trash'],
    ],
  },
  'settings reset': { examples: [['settings reset network.proxy', 'no proxy again']] },
  completion: {
    examples: [
      ['completion bash > ~/.local/share/bash-completion/completions/triton-workbench', 'bash'],
      ['completion zsh > ~/.zfunc/_triton-workbench', 'zsh, with ~/.zfunc in fpath'],
      ['completion fish > ~/.config/fish/completions/triton-workbench.fish', 'fish'],
    ],
  },
  reference: {
    examples: [
      ['reference man > triton-workbench.1', 'the manual page'],
      ['reference schema-run > run.schema.json', 'checks run.yaml in an editor'],
      ['reference preset', 'every key of preset.yaml'],
    ],
  },
};

export const exitsOf = (verb: string): readonly Exit[] => [...commonExits, ...(verbHelp[verb]?.exits ?? [])];
