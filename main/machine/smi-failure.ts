import type { ExecResult } from '../platform/exec';

const maxMessageLength = 400;
const reportEnd = '</nvidia_smi_log>';

// Source: section "RETURN VALUE" of NVIDIA's manual page nvidia-smi(1).
const meanings: Readonly<Record<number, string>> = {
  3: 'the operation is not available on this device',
  4: 'this user has no permission to access the driver',
  6: 'no NVIDIA GPU was found',
  8: 'the external power cables of a GPU are not attached',
  9: 'the NVIDIA driver is not loaded',
  10: 'the kernel found an interrupt problem with a GPU',
  12: 'the NVML library of the driver is missing',
  13: 'the NVML library is older than nvidia-smi',
  14: 'the infoROM of a GPU is corrupted',
  15: 'a GPU has fallen off the bus',
};

/** Why `nvidia-smi` ended with an error, in one sentence with what it printed besides a report. */
export function describeSmiFailure(
  result: Pick<ExecResult, 'exitCode' | 'signal' | 'stderrTail'>,
  stdout: string,
): string {
  const start = stdout.indexOf('<?xml');
  const end = stdout.lastIndexOf(reportEnd);
  const besides =
    start === -1 || end < start ? [stdout] : [stdout.slice(0, start), stdout.slice(end + reportEnd.length)];
  const said = [...besides, ...result.stderrTail]
    .join(' ')
    .slice(0, 4 * maxMessageLength)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxMessageLength);
  const meaning = result.exitCode === null ? undefined : meanings[result.exitCode];
  const ending =
    result.exitCode === null
      ? `was ended by ${result.signal ?? 'a signal'}`
      : `failed with exit code ${result.exitCode}`;
  return [
    `nvidia-smi ${ending}`,
    meaning === undefined ? '' : ` (${meaning})`,
    said === '' ? '.' : `: ${said}`,
  ].join('');
}
