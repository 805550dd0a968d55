import type { Settings } from '../contract/settings/settings';

/** This machine is never reached through a proxy: Triton listens here. */
const ownHosts = 'localhost,127.0.0.1,::1';

/**
 * The environment with the proxy of the settings, for programs that are started. The names are in capitals only: pip and
 * Python read them, and gRPC and libcurl, which carry the load, do not for plain http. A variable that is set wins. Pure.
 */
export function withProxy(
  env: NodeJS.ProcessEnv,
  settings: Pick<Settings, 'network.proxy' | 'network.noProxy'>,
): NodeJS.ProcessEnv {
  const proxy = settings['network.proxy'];
  if (proxy === null) return env;
  const own = settings['network.noProxy'];
  const has = (name: string): boolean => [name, name.toLowerCase()].some((one) => (env[one] ?? '') !== '');
  return {
    ...env,
    ...(has('HTTP_PROXY') ? {} : { HTTP_PROXY: proxy }),
    ...(has('HTTPS_PROXY') ? {} : { HTTPS_PROXY: proxy }),
    ...(has('NO_PROXY') ? {} : { NO_PROXY: own === null ? ownHosts : `${ownHosts},${own}` }),
  };
}
