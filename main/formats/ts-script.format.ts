import { torchscriptFormat } from './torchscript';

export const tsScriptFormat = torchscriptFormat('ts-script', 'TorchScript (scripted)');
