import { parseRemoteUrl } from '../../contract/address';
import type { OfKind } from '../../contract/run/engine-kinds';
import { deviceOfUrl } from '../engine';
import type { Engine } from '../engine-interface';
import { executorHere, withoutImages } from '../without-images';
import { remoteProblems } from './remote-problems';
import { attachTriton } from './remote-triton';

export const remoteEngine: Engine<OfKind<'remote'>> = {
  ...withoutImages,
  detect: () => {
    const note = 'A running Triton server; its model repository is not changed.';
    return Promise.resolve([{ kind: 'remote', available: true, version: null, note, remedy: null }]);
  },
  open: (engine, spec, run, parts) =>
    Promise.resolve(executorHere(({ signal }) => attachTriton(engine, signal), spec.model, run, parts)),
  deviceOf: ({ url }) => Promise.resolve(deviceOfUrl(url)),
  plannedServer: ({ url, tls: files = {} }) => {
    const { http, grpc, secure } = parseRemoteUrl(url);
    const tls = secure ? files : undefined;
    return {
      command: null,
      forClients: { httpAddress: http, grpcAddress: grpc, httpTls: tls, grpcTls: tls },
    };
  },
  startProblems: (engine, { spec, config }) => remoteProblems(spec, engine, config),
};
