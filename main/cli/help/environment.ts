/** Variables of the environment that the program reads, sets for its children, or its tests and scripts read. */
export const environmentVariables: readonly { readonly name: string; readonly what: string }[] = [
  {
    name: 'TRITON_WORKBENCH_HOME',
    what: 'The workbench home: runs, caches, tools and settings. Default: where the Settings page moved it, else `triton-workbench` in `XDG_DATA_HOME` or `~/.local/share`.',
  },
  {
    name: 'TRITON_WORKBENCH_APP',
    what: 'Folder of the program; set by the scripts of a clone. Default: two folders above the command line’s bundle.',
  },
  {
    name: 'TRITON_WORKBENCH_RESOURCES',
    what: 'Folder of presets, toolkit and serving models. Default: `resources` in the folder of the program.',
  },
  {
    name: 'TRITON_WORKBENCH_PYTHON',
    what: 'Python interpreter that `setup` makes its environments with. Default: the first of 3.11, 3.12, 3.10 and 3.9 that has a shared library, else one that uv downloads.',
  },
  {
    name: 'TRITON_WORKBENCH_CHILD_OF',
    what: 'Set by the workbench for the processes that it starts, so that the next start finds those that outlived it.',
  },
  {
    name: 'TRITON_WORKBENCH_ENGINE_ID',
    what: 'Set by the workbench for each local Triton: names the server and its shared memory.',
  },
  {
    name: 'TRITON_WORKBENCH_JOB',
    what: 'Set by the workbench in the pod of a Job: namespace and name of the Job, by which the program recognizes the runs that it works on.',
  },
  { name: 'TRITON_WORKBENCH_JOB_NODE', what: 'Set by the workbench in the pod of a Job: name of its node.' },
  {
    name: 'TRITON_WORKBENCH_JOB_PAUSE_S',
    what: 'Set by the workbench in the pod of a Job that has a deadline: seconds after which the run pauses.',
  },
  {
    name: 'KUBECONFIG',
    what: 'Kubeconfig files of `--engine kubernetes`, separated by colons, as kubectl reads them. Default: `~/.kube/config`, else the service account of the pod.',
  },
  {
    name: 'TRITON_WORKBENCH_CLI',
    what: 'Command that `scripts/public-models.mjs` starts as the command line. Default: `npm run -s cli --`.',
  },
  {
    name: 'TRITON_WORKBENCH_TEST_OUTCOMES',
    what: 'Set by `npm test` for its reporters: the file for the outcome of each test.',
  },
  {
    name: 'TRITON_WORKBENCH_TEST_RUN',
    what: 'Set by `npm test`: marks the processes of one test run, so that all of them end with it.',
  },
  {
    name: 'TRITON_WORKBENCH_TEST_KUBERNETES',
    what: 'Folder with the programs of the cluster of `npm run test:kubernetes`. Default: `~/.cache/triton-workbench-tests/kubernetes`.',
  },
  {
    name: 'TRITON_WORKBENCH_TEST_MOUNTS',
    what: 'Set by `npm run test:package` for itself: its mounts are already private.',
  },
  { name: 'XDG_DATA_HOME', what: 'Folder of the workbench home, where `TRITON_WORKBENCH_HOME` is not set.' },
  {
    name: 'XDG_CONFIG_HOME',
    what: 'Folder of `triton-workbench/cli.yaml`, and of `triton-workbench/home.json`, which says where the home was moved to. Default: `~/.config`.',
  },
  { name: 'DOCKER_HOST', what: 'Address of the Docker daemon. Default: the current Docker context.' },
  {
    name: 'TRITON_WORKBENCH_SSH_CONFIG',
    what: 'Configuration file of ssh for hosts and for Docker over ssh. Default: that of ssh itself, `~/.ssh/config`.',
  },
  {
    name: 'TRITON_WORKBENCH_HOST_WAIT_S',
    what: 'Seconds for which a run waits for a host that does not answer, before it fails with what was measured. Default: 900.',
  },
  {
    name: 'HTTP_PROXY',
    what: 'With HTTPS_PROXY and NO_PROXY: proxy of pip and the Python toolkit. They win over the setting `network.proxy`.',
  },
  { name: 'NO_COLOR', what: 'Has no effect: the command line prints no colors.' },
];
