export interface ErrorText {
  readonly title: string;
  readonly remedy: string;
  /** On the command line, where the general remedy names something of the window. */
  readonly cliRemedy?: string;
}

/** All error codes, a closed set, with their title and remedy in window and CLI. */
const texts = {
  'input-invalid': {
    title: 'Invalid input',
    remedy: 'Change the value that the message names. The Help pane describes what each field takes.',
    cliRemedy: 'Change the value that the message names. The command with --help lists what it takes.',
  },
  'spec-invalid': {
    title: 'Invalid run specification',
    remedy: 'Change the value that the message names, in the form or in the file that it was opened from.',
    cliRemedy:
      'Change it in the file, or with --set FIELD=VALUE. The command "fields" lists what each takes.',
  },
  'config-invalid': {
    title: 'Invalid model configuration',
    remedy:
      'Change it in the editor of config.pbtxt on the page Configure: Ctrl+Space lists fields and values.',
    cliRemedy: 'Change it in config.pbtxt. "triton-workbench fields configure" lists its fields in run.yaml.',
  },
  'preset-unknown': {
    title: 'No such preset',
    remedy: 'List the presets with the command "presets".',
  },
  'model-folder-invalid': {
    title: 'The model folder cannot be used',
    remedy: 'A model folder must contain model.py, dataloader.py, metrics.py and preset.yaml.',
  },
  'model-file-invalid': {
    title: 'The model file cannot be used',
    remedy: 'Use an ONNX or TorchScript file that its runtime can load.',
  },
  'not-trusted': {
    title: 'Your approval is required',
    remedy:
      'Check what the message names. Then trust the model under New deployment > Model, or the run on its own page.',
    cliRemedy:
      'Check what the message names. Then run "triton-workbench trust <path>", or use run or resume with --trust.',
  },
  'checkpoint-invalid': {
    title: 'The weights file cannot be used',
    remedy: 'Use a state dictionary saved with torch.save whose keys and shapes match the model.',
  },
  'combination-unsupported': {
    title: 'Unsupported combination',
    remedy: 'Change the format, precision, accelerator or engine named in the message.',
  },
  'run-unknown': { title: 'No such run', remedy: 'List the runs with the command "runs".' },
  'run-busy': {
    title: 'The run is in use by another process',
    remedy: 'Wait for it to finish, or cancel it with the command "cancel".',
  },
  'run-folder-exists': {
    title: 'The run folder is not empty',
    remedy: 'Choose an empty or a new folder.',
  },
  'deployment-unknown': {
    title: 'No such deployment',
    remedy: 'List the deployments on the page Deployments.',
    cliRemedy: 'List the deployments with "deployments list".',
  },
  'deployment-busy': {
    title: 'The deployment is being changed',
    remedy: 'Wait until the change is done, then try again.',
  },
  'study-unknown': {
    title: 'No such study',
    remedy: 'List the studies on the page Studies.',
    cliRemedy: 'List the studies with "studies list".',
  },
  'study-busy': {
    title: 'The study is in progress',
    remedy: 'Wait for it to end, or pause or cancel it first.',
  },
  'host-unknown': {
    title: 'No such host',
    remedy: 'List the hosts on the page Hosts, or add it there.',
    cliRemedy: 'List the hosts with "triton-workbench hosts list".',
  },
  'host-unreachable': {
    title: 'Cannot connect to the host',
    remedy: 'Connect to it with ssh in a terminal first. Keys, agent and known hosts are those of ssh.',
  },
  'run-folder-unsafe': {
    title: 'The run folder contains unsupported entries',
    remedy: 'Remove the named link, pipe, socket or device from the run folder.',
  },
  'journal-corrupt': {
    title: 'The run journal is damaged',
    remedy: 'Check the disk. Start a new run to measure again.',
  },
  'journal-newer': {
    title: 'Written by a newer version',
    remedy: 'Update the workbench, or use the version that wrote it.',
  },
  'toolchain-missing': {
    title: 'A required tool is not installed',
    remedy: 'Install it on the Environment page, or choose another engine.',
    cliRemedy: 'Install it with "triton-workbench setup", or choose another engine.',
  },
  'toolkit-failed': {
    title: 'A toolkit command failed',
    remedy: 'See the last lines of its log below.',
  },
  'verification-failed': {
    title: 'Outputs differ by more than the tolerance',
    remedy:
      'Compare the observed differences with atol and rtol. Raise the tolerance only if they are acceptable.',
  },
  'accuracy-below-threshold': {
    title: 'Accuracy gate not passed',
    remedy:
      'Fix the model, raise the tolerance, or measure anyway. Results measured anyway are marked “accuracy failed”.',
    cliRemedy:
      'Fix the model, raise the tolerance, or resume with --allow-unverified. Results measured anyway are marked “accuracy failed”.',
  },
  'engine-unavailable': {
    title: 'Engine not available',
    remedy: 'Choose another engine, or follow the steps on the Environment page.',
    cliRemedy: 'Choose another engine, or follow the steps that "triton-workbench detect" prints.',
  },
  'docker-unreachable': {
    title: 'Cannot connect to the Docker daemon',
    remedy:
      'Start it ("sudo systemctl start docker"), or select another daemon with DOCKER_HOST or a Docker context.',
  },
  'docker-permission': {
    title: 'Permission denied by the Docker daemon',
    remedy:
      'Run "sudo usermod -aG docker $USER" and log in again. The docker group grants root-equivalent access.',
  },
  'docker-failed': {
    title: 'The Docker daemon refused a request',
    remedy: 'See its response below.',
  },
  'image-missing': {
    title: 'Image not found',
    remedy: 'Pull or build it on the Containers page.',
    cliRemedy: 'Pull or build it with "triton-workbench images".',
  },
  'image-pull-failed': {
    title: 'The image could not be pulled',
    remedy: 'Check its name and the connection, and try again. Downloaded layers are kept.',
  },
  'image-build-failed': {
    title: 'The image could not be built',
    remedy: 'See the last lines of the build below.',
  },
  'registry-denied': {
    title: 'The registry denied access to the image',
    remedy: 'Enter the registry, user and key on the Containers page. The user for NGC is $oauthtoken.',
    cliRemedy: 'Log in with "docker login REGISTRY", and try again. The user for NGC is $oauthtoken.',
  },
  'container-failed': {
    title: 'A container failed',
    remedy: 'See its exit code and last lines below.',
  },
  'out-of-memory': {
    title: 'A container ran out of memory',
    remedy: 'Increase its memory, or use smaller batch sizes or fewer instances.',
  },
  'job-refused': {
    title: 'Job refused',
    remedy: 'Change the options of the job as the message says, then start the run again.',
  },
  'job-ended': {
    title: 'Job ended before the run',
    remedy: 'Resume the run: a new job continues with the first step or level that is not done.',
  },
  'server-start-failed': {
    title: 'Triton did not start',
    remedy: 'See the last lines of the server log below.',
  },
  'server-gone': {
    title: 'Triton stopped unexpectedly',
    remedy: 'Resume the run: Triton is restarted, and measured levels are kept.',
  },
  'server-unreachable': {
    title: 'Triton is not responding',
    remedy: 'Check the address, and check that the server is running.',
  },
  'port-taken': {
    title: 'The port is already in use',
    remedy: 'Stop the process that uses it, choose another port, or set none to use a free one.',
  },
  'model-load-failed': {
    title: 'Triton could not load the model',
    remedy: 'See the reason from Triton below.',
  },
  'model-not-ready': {
    title: 'The model is not ready',
    remedy: 'Load it on the server, or check its name and version. The server log has the reason.',
  },
  'model-mismatch': {
    title: 'The served model does not match the configuration',
    remedy: 'Change the run to match the served model, or serve the configured model.',
  },
  'inference-failed': {
    title: 'An inference request failed',
    remedy: 'Compare the inputs of the served model with those of this run’s model.',
  },
  'load-tool-failed': {
    title: 'The load tool returned no usable result',
    remedy: 'See its exit code and last lines below.',
  },
  'measurement-failed': {
    title: 'A level could not be measured',
    remedy: 'Resume the run to measure it again.',
  },
  'deadline-exceeded': {
    title: 'The step exceeded its deadline',
    remedy: 'Raise the deadline of the step in the run specification, or resume the run.',
  },
  cancelled: { title: 'Cancelled', remedy: 'Resume the run to continue from here.' },
  'report-failed': {
    title: 'The report could not be written',
    remedy: 'The results are safe in the journal. Resume the run to write the report again.',
  },
  'download-failed': {
    title: 'Download incomplete',
    remedy:
      'Start it again. The downloaded part is kept, and the download resumes if the server supports it.',
  },
  'download-invalid': {
    title: 'The download does not match the published file',
    remedy:
      'Start it again. If the problem persists, download the file by hand from its page and compare the checksum.',
  },
  'disk-full': {
    title: 'The disk is full',
    remedy: 'Free some disk space. Then repeat the command, or resume the run.',
  },
  'file-unwritable': {
    title: 'A file could not be written',
    remedy: 'Make the folder writable, or name another one. Then repeat the command, or resume the run.',
  },
  internal: {
    title: 'Internal error',
    remedy: 'Report it with the details below.',
  },
} as const satisfies Readonly<Record<string, ErrorText>>;

export type ErrorCode = keyof typeof texts;

export const errorText: Readonly<Record<ErrorCode, ErrorText>> = texts;

export const errorCodes = Object.keys(texts) as [ErrorCode, ...ErrorCode[]];

export const cliRemedyOf = (code: ErrorCode): string => errorText[code].cliRemedy ?? errorText[code].remedy;

interface Said {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Title and message on one line; a message may begin with its title. */
export const titledMessage = ({ code, message }: Said): string =>
  message.startsWith(errorText[code].title) ? message : `${errorText[code].title}: ${message}`;

/** The message below its title: what it says beyond it, "At unix:///var/run/docker.sock: connect ENOENT". */
export function beyondTitle({ code, message }: Said): string {
  const { title } = errorText[code];
  if (!message.startsWith(title)) return message;
  const beyond = message.slice(title.length).trim();
  return `${beyond.charAt(0).toUpperCase()}${beyond.slice(1)}`;
}
