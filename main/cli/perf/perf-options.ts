import type { Command } from 'commander';
import { withScheme } from '../../contract/address';
import { addFieldOptions, collect, type GivenOptions } from '../field-options';
import { readBudgetMs } from '../read-values';
import { addTlsOptions, type TlsOptions } from '../tls-options';

/** Options of `perf` as commander gives them; those of fields by their own names. */
export interface PerfOptions extends GivenOptions, TlsOptions {
  readonly url: string;
  readonly grpcUrl?: string;
  readonly metricsUrl?: string;
  readonly host?: string;
  readonly model: readonly string[];
  readonly modelVersion: string;
  readonly shape?: readonly string[];
  readonly inputData?: readonly string[];
  readonly inTurns: boolean;
  readonly allowRemoteLoad?: boolean;
  readonly remoteConcurrency?: string;
  readonly remoteRequestRate?: string;
  readonly csv?: string;
  readonly header?: readonly string[];
  readonly p99BudgetMs?: number;
  readonly json?: boolean;
}

export function addPerfOptions(command: Command): Command {
  command
    .requiredOption(
      '-u, --url <url>',
      'HTTP address: host:8000, http://host:8000 or https://host.',
      withScheme,
    )
    .option('--grpc-url <host:port>', 'gRPC address; grpcs:// for TLS. Default: port 8001 of the same host.')
    .option(
      '--metrics-url <url>',
      'Address of Triton’s metrics, from which GPU and CPU readings come. Default: two ports above HTTP on this machine, none on another.',
    )
    .option(
      '--host <name>',
      'Host of the list of hosts on which the load generator runs, in a container; addresses are those that the host sees, for example --url 127.0.0.1:8000. Default: this machine.',
    )
    .requiredOption(
      '-m, --model <name>',
      'Model name. Repeat it to load several models at once, NAME:2 twice as much.',
      collect,
    )
    .option('-x, --model-version <n>', 'Model version. Default: the server chooses.', '')
    .option(
      '--shape <NAME:dims>',
      'Dimensions of an input with dynamic ones, without the batch: x:3,224,224 or x=3,224,224. Repeatable.',
      collect,
    )
    .option(
      '--input-data <source>',
      'random, zero, or a JSON file, npz file or folder with values; NAME=... for one model. Default: random.',
      collect,
    );
  addFieldOptions(command, 'perf')
    .option(
      '--no-in-turns',
      'Measure each of several levels until it is steady, instead of in rounds with one window per level.',
    )
    .option('--allow-remote-load', 'Allow load on another machine.')
    .option('--remote-concurrency <n>', 'Most concurrent requests on another machine. Default: 1024.')
    .option('--remote-request-rate <n>', 'Most requests per second on another machine. Default: 10000.')
    .option(
      '--p99-budget-ms <ms>',
      'Also say the best level within this p99 latency, in milliseconds; the run keeps it.',
      readBudgetMs,
    )
    .option(
      '-H, --header <NAME: value>',
      'Header of every request, for example "Authorization: Bearer …"; its value is not kept. Repeatable. Only with the native load tool.',
      collect,
    )
    .option('-f, --csv <file>', 'Also write the levels to a CSV file, with the columns of the reports.')
    .option('--json', 'Print one JSON document on stdout, and progress on stderr.');
  return addTlsOptions(command);
}
