import { torchscriptFormat } from './torchscript';

export const tsTraceFormat = torchscriptFormat('ts-trace', 'TorchScript (traced)');
