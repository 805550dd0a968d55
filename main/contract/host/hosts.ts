import { z } from 'zod';
import type { Check, DockerFacts, GpuReport } from '../machine';
import { allHosts, hostNameSchema } from './host-name';

export type HostPlace =
  | {
      readonly kind: 'ssh';
      /** null: from ssh's configuration, else the local user name. */
      readonly user: string | null;
      readonly hostname: string;
      readonly port: number | null;
    }
  | { readonly kind: 'tcp'; readonly hostname: string; readonly port: number }
  | { readonly kind: 'context'; readonly context: string };

const dockerTlsPort = 2376;
// The first letter may not be "-", which ssh would read as an option.
const hostname = '\\[[0-9A-Fa-f:.]{2,45}\\]|[A-Za-z0-9][A-Za-z0-9._-]{0,252}';
const sshPattern = new RegExp(
  `^ssh://(?:([A-Za-z0-9_][A-Za-z0-9_.-]{0,63})@)?(${hostname})(?::(\\d{1,5}))?/?$`,
);
const tcpPattern = new RegExp(`^tcp://(${hostname})(?::(\\d{1,5}))?/?$`);
const contextPattern = /^context:([A-Za-z0-9][A-Za-z0-9_.+-]{0,127})$/;

const isPort = (port: number | null): boolean => port === null || (port >= 1 && port <= 65_535);

/** null where it is not a host address. Parsed by hand: Chromium 114 has no host in an ssh:// URL. */
export function parseHostAddress(address: string): HostPlace | null {
  const [, user = null, sshHost, sshPort] = sshPattern.exec(address) ?? [];
  if (sshHost !== undefined) {
    const port = sshPort === undefined ? null : Number(sshPort);
    return isPort(port) ? { kind: 'ssh', user, hostname: sshHost, port } : null;
  }
  const [, tcpHost, tcpPort] = tcpPattern.exec(address) ?? [];
  if (tcpHost !== undefined) {
    const port = tcpPort === undefined ? dockerTlsPort : Number(tcpPort);
    return isPort(port) ? { kind: 'tcp', hostname: tcpHost, port } : null;
  }
  const context = contextPattern.exec(address)?.[1];
  return context === undefined ? null : { kind: 'context', context };
}

const asSshTakesIt = /^[A-Za-z0-9_][\w.-]*@[^\s@/]+$/;
/** An address has IPv6 in brackets, ssh takes it without. */
const bareIpv6 = /^[0-9A-Fa-f]*(?::[0-9A-Fa-f]*){2,}$/;

/** `root@gpu1` and `root@gpu1:2222` as ssh:// addresses; other text unchanged. */
function completeAddress(text: string): string {
  const address = text.trim();
  if (!asSshTakesIt.test(address)) return address;
  const [user = '', host = ''] = address.split('@');
  return `ssh://${user}@${bareIpv6.test(host) ? `[${host}]` : host}`;
}

/** The problem of an address, in words that never hold a password; null: it is valid. */
function addressProblem(address: string): string | null {
  if (parseHostAddress(address) !== null) return null;
  if (/^[^@/]*:[^@]*@/.test(address.replace(/^[a-z]+:\/\//i, ''))) {
    return 'an address must not contain a password: use a key and ssh-agent';
  }
  if (/^(?:unix|npipe):/i.test(address)) return 'a socket of this machine is not a host';
  return 'not an address of the form user@host, ssh://user@host:port, tcp://host:2376 or context:NAME';
}

const hostAddressSchema = z
  .string()
  .max(400)
  .overwrite(completeAddress)
  .superRefine((address, context) => {
    const message = addressProblem(address);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

const hostFieldsSchema = z
  .strictObject({
    name: hostNameSchema,
    /** `ssh://[user@]host[:port]` or `user@host[:port]`, `tcp://host:2376` (TLS) or `context:NAME`. */
    address: hostAddressSchema,
    /** Folder with ca.pem, cert.pem and key.pem, for tcp:// only; absent: DOCKER_CERT_PATH, else ~/.docker. */
    certificates: z.string().max(4096).regex(/^\//, 'not an absolute path').optional(),
  })
  .refine(({ address, certificates }) => certificates === undefined || address.startsWith('tcp://'), {
    path: ['certificates'],
    message: 'applies only to tcp:// addresses',
  });

/** Secrets stay in ssh's and Docker's own places. */
export const newHostSchema = hostFieldsSchema.refine(({ name }) => name !== allHosts, {
  path: ['name'],
  message: `"${allHosts}" means every host of the list`,
});
export type NewHost = z.infer<typeof newHostSchema>;

export const hostSchema = hostFieldsSchema.safeExtend({ addedAt: z.string() });
export type Host = z.infer<typeof hostSchema>;

/** `host-key`: unknown to ssh, or changed. `login`: no key is accepted. */
type UnreachableReason = 'host-key' | 'login' | 'timeout' | 'address' | 'other';

export type HostStatus = {
  readonly name: string;
  readonly address: string;
  /** ISO 8601. */
  readonly at: string;
} & (
  | {
      readonly reachable: true;
      /** Its Docker Engine; unreachable where ssh answers and Docker does not. */
      readonly docker: DockerFacts;
      /** null: not known; nvidia-smi is reached by ssh only. */
      readonly gpus: GpuReport | null;
      /** Free bytes where Docker keeps its images. */
      readonly diskFreeBytes: number | null;
      readonly images: number | null;
      /** Runs of this home with containers there; null where Docker cannot be asked. */
      readonly runs: readonly string[] | null;
      readonly deployments: readonly string[] | null;
    }
  | {
      readonly reachable: false;
      readonly reason: UnreachableReason;
      readonly message: string;
      readonly remedy: string;
    }
);

export interface HostCheck {
  readonly status: HostStatus;
  /** Empty where the host is not reachable. */
  readonly checks: readonly Check[];
}
