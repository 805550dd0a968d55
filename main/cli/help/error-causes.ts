import type { ErrorCode } from '../../contract/errors';

/** Why each error happens, for the reference; what to do about it is in `error-text.ts`. */
export const errorCauses: Readonly<Record<ErrorCode, string>> = {
  'input-invalid':
    'A value on the command line, in a form or in a file is not one that the field or option takes.',
  'spec-invalid': 'The run specification has a field, a type or a value that run.yaml does not have.',
  'config-invalid': 'config.pbtxt cannot be parsed, or Triton would refuse one of its fields.',
  'preset-unknown': 'No preset has this id.',
  'model-folder-invalid': 'A file of the model folder is missing, or lacks what the toolkit calls.',
  'model-file-invalid':
    'The model file is damaged, of another format, or needs operators that its runtime does not have.',
  'not-trusted':
    'The run would execute code, read paths, use images or send load that nobody approved on this machine.',
  'checkpoint-invalid':
    'The weights have other keys or shapes than the model, or are not a state dictionary.',
  'combination-unsupported': 'Format, precision, accelerator and engine exclude each other.',
  'run-unknown': 'No run has this id, name or position in the list.',
  'run-busy': 'Another process is working on the run and holds its lease.',
  'run-folder-exists': 'The folder for the run already contains files.',
  'deployment-unknown': 'No deployment has this name.',
  'deployment-busy': 'Another process starts, stops or changes the deployment.',
  'host-unknown': 'No host of this workbench home has this name.',
  'host-unreachable':
    'ssh cannot connect to the host: it is down, its host key is not known, or it accepts no key of yours.',
  'run-folder-unsafe':
    'The run folder has a link, pipe, socket or device where a plain file or folder belongs.',
  'journal-corrupt': 'The first line of the journal, which identifies the run, cannot be read.',
  'toolchain-missing':
    'Python, Triton, perf_analyzer or another tool of the engine is not installed in the workbench home.',
  'toolkit-failed': 'Export, conversion or another Python command of the toolkit ended with an error.',
  'verification-failed':
    'The outputs of the converted model differ from those of the framework by more than atol and rtol.',
  'accuracy-below-threshold':
    'An output or a metric on Triton differs from the framework by more than the run permits.',
  'job-refused':
    'The scheduler did not take the job: an option, an account or a limit of the cluster is against it.',
  'job-ended': 'The job ended before the run in it did: time limit, lost node, preemption or lack of memory.',
  'engine-unavailable': 'The engine of the run cannot be used on this machine now.',
  'docker-unreachable': 'No Docker daemon responds at the address in use.',
  'docker-permission': 'Your user may not open the socket of the Docker daemon.',
  'docker-failed': 'The Docker daemon responded with an error.',
  'image-missing': 'The image is neither on this machine nor built.',
  'image-pull-failed': 'The registry or the connection ended the pull.',
  'image-build-failed': 'A step of the image build ended with an error.',
  'registry-denied': 'The registry requires a login, or the login has no access to the image.',
  'container-failed': 'A container ended with an exit code other than 0.',
  'out-of-memory': 'The kernel or Docker ended a process that used more memory than its container may.',
  'server-start-failed': 'tritonserver ended, or was not ready, before its deadline.',
  'server-gone': 'Triton ended while it was in use.',
  'server-unreachable': 'No Triton responds at the address, or it stopped responding.',
  'port-taken': 'Another process listens on the port.',
  'model-load-failed': 'Triton refused to load the model.',
  'model-not-ready': 'Triton has the model but does not serve it.',
  'model-mismatch': 'The model that the server has differs from what the run configures.',
  'inference-failed': 'Triton or the backend responded to a request with an error.',
  'load-tool-failed': 'perf_analyzer or the built-in generator ended without a result.',
  'measurement-failed': 'A level gave no figures: every request failed, or the server stalled.',
  'deadline-exceeded': 'A step took longer than its limit.',
  cancelled: 'The work was cancelled.',
  'report-failed': 'A report could not be rendered, or was not written yet.',
  'download-failed': 'The connection or the server ended a download early.',
  'download-invalid': 'Size or checksum of the downloaded file differs from the published ones.',
  'disk-full': 'The file system has no space left.',
  'file-unwritable': 'The file system refuses to write a file or folder.',
  internal: 'An unexpected error in the workbench.',
};
