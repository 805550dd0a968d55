import type { Handlers } from '../contract/api';
import type { RunSpec } from '../contract/run/run-spec';
import { refuseStart, startProblems } from '../engine/start-check';
import { generatedConfig } from '../spec/read-choice';
import { applyConfigPatch } from '../triton/config-patch';
import type { ModelConfig } from '../triton/model-config';
import { parseRemoteUrl } from '../triton/remote-url';
import type { CoreParts } from './core-parts';

/** What stands in the way of a run, before there is one. */
export interface StartCalls {
  readonly handlers: Pick<Handlers, 'runs.check'>;
  /** Throws the first problem. */
  refuse(spec: RunSpec): Promise<void>;
}

export function createStartCalls(parts: CoreParts): StartCalls {
  const { layout, docker, presetOf, monitor, tools } = parts;
  const { resources } = parts.options;
  /** null: a remote server is then compared by its name alone. */
  const configOf = async (spec: RunSpec): Promise<ModelConfig | null> => {
    if (spec.engine.kind !== 'remote') return null;
    try {
      return applyConfigPatch(generatedConfig(await presetOf(spec.model), spec), spec.configure.configPatch);
    } catch {
      // What is wrong with the fields is said of the fields.
      return null;
    }
  };
  const monitored = async (): Promise<string | null> => {
    const { source } = await monitor.handlers['monitor.state'](undefined);
    return source?.kind === 'live' ? parseRemoteUrl(source.url).http : null;
  };
  const check = async (spec: RunSpec) =>
    startProblems(spec, await configOf(spec), {
      layout,
      resources,
      docker,
      monitored,
      tools: () => tools.facts(),
    });
  return {
    handlers: { 'runs.check': ({ spec }) => check(spec) },
    refuse: async (spec) => {
      refuseStart(await check(spec), spec);
    },
  };
}
