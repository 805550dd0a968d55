import type { ErrorCode } from './errors';

export interface ErrorText {
  readonly title: string;
  readonly remedy: string;
  /** For the command line, where the remedy is something that only the window has. */
  readonly cliRemedy?: string;
}

/** The remedy of a code on the command line. */
export const cliRemedyOf = (code: ErrorCode): string => errorText[code].cliRemedy ?? errorText[code].remedy;

/** What people read for each code; shared by window and CLI, exhaustive by type. */
export const errorText: Readonly<Record<ErrorCode, ErrorText>> = {
  'input-invalid': {
    title: 'That input is not valid',
    remedy: 'Correct the named field and try again.',
  },
  'spec-invalid': {
    title: 'The run specification is not valid',
    remedy: 'Correct the named field in run.yaml or on the command line.',
  },
  'config-invalid': {
    title: 'The model configuration is not valid',
    remedy: 'Correct the named field of config.pbtxt.',
  },
  'preset-unknown': {
    title: 'No such preset',
    remedy: 'List the presets with the command "presets".',
  },
  'model-folder-invalid': {
    title: 'The model folder cannot be used',
    remedy: 'A model folder holds model.py, dataloader.py, metrics.py and preset.yaml.',
  },
  'model-file-invalid': {
    title: 'The model file cannot be used',
    remedy: 'Give an ONNX or TorchScript file that its own runtime loads.',
  },
  'not-trusted': {
    title: 'This needs your agreement first',
    remedy:
      'Check what is named. Then trust the model on the Model page of the wizard, or the run on its own page.',
    cliRemedy: 'Check what is named; then "npm run cli -- trust <path>", or run or resume with --trust.',
  },
  'checkpoint-invalid': {
    title: 'The weights file cannot be used',
    remedy: 'Give a state dictionary saved by torch.save whose keys and shapes match the model.',
  },
  'combination-unsupported': {
    title: 'These choices do not work together',
    remedy: 'Change the format, precision, accelerator or engine as the message says.',
  },
  'run-unknown': { title: 'No such run', remedy: 'List the runs with the command "runs".' },
  'run-busy': {
    title: 'The run is in use by another workbench',
    remedy: 'Wait for it, or cancel it with the command "cancel".',
  },
  'run-folder-exists': {
    title: 'The run folder already holds something',
    remedy: 'Choose an empty or new folder.',
  },
  'run-folder-unsafe': {
    title: 'The run folder holds something other than files and folders',
    remedy: 'Remove the named link, pipe, socket or device from the run folder.',
  },
  'journal-corrupt': {
    title: 'The journal of the run is damaged',
    remedy: 'Check the disk. Start a new run to measure again.',
  },
  'toolchain-missing': {
    title: 'A required tool is not installed',
    remedy: 'Install it on the Environment page, or choose another engine.',
    cliRemedy: 'Run "npm run demo" once while online: it installs what is missing.',
  },
  'toolkit-failed': {
    title: 'A toolkit command failed',
    remedy: 'The last lines of its log, below, say why.',
  },
  'verification-failed': {
    title: 'The outputs differ by more than the tolerance',
    remedy:
      'Compare the observed differences with atol and rtol; raise the tolerance only if they are acceptable.',
  },
  'accuracy-below-threshold': {
    title: 'The accuracy gate did not pass',
    remedy:
      'Fix the model or widen the tolerance, or measure anyway: every result is then marked unverified.',
    cliRemedy:
      'Fix the model or widen the tolerance, or resume with --allow-unverified: every result is then marked unverified.',
  },
  'engine-unavailable': {
    title: 'This engine cannot be used here',
    remedy: 'Choose another engine, or follow the Environment page.',
  },
  'docker-unreachable': {
    title: 'No answer from the Docker Engine',
    remedy:
      'Start it ("sudo systemctl start docker"), or name another one in DOCKER_HOST or a Docker context.',
  },
  'docker-permission': {
    title: 'This user may not talk to the Docker Engine',
    remedy:
      'Type "sudo usermod -aG docker $USER" and log in again; members of that group are root on this machine.',
  },
  'docker-failed': {
    title: 'The Docker Engine refused a request',
    remedy: 'Its answer, below, says why.',
  },
  'image-missing': {
    title: 'An image is not on this machine',
    remedy: 'Pull or build it on the Containers page.',
    cliRemedy: 'Pull or build it with "npm run cli -- images".',
  },
  'image-pull-failed': {
    title: 'The image could not be pulled',
    remedy: 'Check its name and the connection, and try again: layers that have come are kept.',
  },
  'image-build-failed': {
    title: 'The image could not be built',
    remedy: 'The last lines of the build, below, say why.',
  },
  'registry-denied': {
    title: 'The registry refused access to the image',
    remedy: 'Give the registry name, user and key on the Containers page; for NGC the user is $oauthtoken.',
  },
  'container-failed': {
    title: 'A container ended with a failure',
    remedy: 'Its exit code and last lines are below.',
  },
  'out-of-memory': {
    title: 'A container ran out of memory',
    remedy: 'Give it more memory, or choose smaller batch sizes or fewer instances.',
  },
  'server-start-failed': {
    title: 'Triton did not start',
    remedy: 'The last lines of the server log, below, say why.',
  },
  'server-gone': {
    title: 'Triton stopped while it was in use',
    remedy: 'Resume the run: it starts Triton again and repeats nothing that was measured.',
  },
  'server-unreachable': {
    title: 'No answer from Triton',
    remedy: 'Check the address and that the server is running.',
  },
  'port-taken': {
    title: 'The port is already in use',
    remedy: 'Stop the process that uses it, or leave the port empty to use a free one.',
  },
  'model-load-failed': {
    title: 'Triton could not load the model',
    remedy: 'The reason that Triton gives is below.',
  },
  'model-not-ready': {
    title: 'The model is not ready',
    remedy: 'Load it on the server, or check its name and version; the server log has the reason.',
  },
  'model-mismatch': {
    title: 'The served model is not what was configured',
    remedy: 'Change the run to match the served model, or serve the model as configured.',
  },
  'inference-failed': {
    title: 'An inference request failed',
    remedy: 'Compare the inputs of the served model with the model of this run.',
  },
  'load-tool-failed': {
    title: 'The load tool gave no usable result',
    remedy: 'Its exit code and last lines are below.',
  },
  'measurement-failed': {
    title: 'A level could not be measured',
    remedy: 'Resume the run to measure it again.',
  },
  'deadline-exceeded': {
    title: 'The step took longer than its deadline',
    remedy: 'Raise the deadline of the step in the run specification, or resume.',
  },
  cancelled: { title: 'Cancelled', remedy: 'Resume the run to go on from here.' },
  'report-failed': {
    title: 'The report could not be written',
    remedy: 'The results are safe in the journal; resume the run to write the report again.',
  },
  'download-failed': {
    title: 'The download did not come to its end',
    remedy: 'Start it again: what has come is kept, and it goes on from there where the server allows that.',
  },
  'download-invalid': {
    title: 'What was downloaded is not what is published',
    remedy: 'Start it again; if it stays so, fetch it by hand from its page and compare the checksum.',
  },
  'disk-full': { title: 'The disk is full', remedy: 'Free some space and resume the run.' },
  'file-unwritable': {
    title: 'A file could not be written',
    remedy: 'Check the permissions of the folder and resume.',
  },
  internal: {
    title: 'The workbench met a fault of its own',
    remedy: 'Please report it with the details below.',
  },
};
