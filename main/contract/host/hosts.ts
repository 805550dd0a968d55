import { z } from 'zod';
import type { Check, DockerFacts, GpuReport } from '../machine';
import { allHosts, hostNameSchema } from './host-name';

/** Where the Docker Engine of a host is, in its parts. */
export type HostPlace =
  | {
      readonly kind: 'ssh';
      /** null: as ssh's own configuration has it, else your name here. */
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

/** null for what is not the address of a host. Written by hand: Chromium 114 knows no host in an ssh:// URL. Pure. */
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
/** IPv6, which an address has in brackets and ssh takes without. */
const bareIpv6 = /^[0-9A-Fa-f]*(?::[0-9A-Fa-f]*){2,}$/;

/** `root@gpu1` and `root@gpu1:2222` as the addresses they are for ssh; everything else as it is. Pure. */
function completeAddress(text: string): string {
  const address = text.trim();
  if (!asSshTakesIt.test(address)) return address;
  const [user = '', host = ''] = address.split('@');
  return `ssh://${user}@${bareIpv6.test(host) ? `[${host}]` : host}`;
}

/** What is wrong with an address, in words that never hold a password; null: nothing. */
function addressProblem(address: string): string | null {
  if (parseHostAddress(address) !== null) return null;
  if (/^[^@/]*:[^@]*@/.test(address.replace(/^[a-z]+:\/\//i, ''))) {
    return 'an address with a password is not kept: use a key and ssh-agent';
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

/** What is asked for to add a host. Secrets are in ssh's and Docker's own places, never here. */
export const newHostSchema = hostFieldsSchema.refine(({ name }) => name !== allHosts, {
  path: ['name'],
  message: `"${allHosts}" means every host of the list`,
});
export type NewHost = z.infer<typeof newHostSchema>;

/** A machine to run on, as the home keeps it. */
export const hostSchema = hostFieldsSchema.safeExtend({ addedAt: z.string() });
export type Host = z.infer<typeof hostSchema>;

/** Why a host is not reached. `host-key`: ssh does not know its key, or another one. `login`: it takes no key of yours. */
type UnreachableReason = 'host-key' | 'login' | 'timeout' | 'address' | 'other';

/** A host as it was found just now. */
export type HostStatus = {
  readonly name: string;
  readonly address: string;
  /** When it was asked, ISO 8601. */
  readonly at: string;
} & (
  | {
      readonly reachable: true;
      /** Of its Docker Engine; not reachable where ssh answers and Docker does not. */
      readonly docker: DockerFacts;
      /** null: not known, as only ssh leads to nvidia-smi. */
      readonly gpus: GpuReport | null;
      /** Where Docker keeps its images. */
      readonly diskFreeBytes: number | null;
      readonly images: number | null;
      /** Runs of this home that have containers running there; null where Docker cannot be asked. */
      readonly runs: readonly string[] | null;
      /** Deployments of this home that have containers running there; null likewise. */
      readonly deployments: readonly string[] | null;
    }
  | {
      readonly reachable: false;
      readonly reason: UnreachableReason;
      readonly message: string;
      readonly remedy: string;
    }
);

/** A host with what keeps it from running Triton in containers. */
export interface HostCheck {
  readonly status: HostStatus;
  /** The preflight; empty where the host is not reached. */
  readonly checks: readonly Check[];
}
