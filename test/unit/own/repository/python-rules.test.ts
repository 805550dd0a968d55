import { expect, it } from 'vitest';
import { codeProblem } from '../../../../main/own/repository/python-rules';

it.each([
  'class TritonPythonModel:\n    def execute(self, requests):\n        return []\n',
  'class TritonPythonModel(Base):\n    pass\n',
  'from parts import TritonPythonModel\n',
  'class TritonPythonModel:\n    execute = shared.execute\n',
  '',
])('finds nothing in %j', (text) => {
  expect(codeProblem(text, '/m/1/model.py')).toBeNull();
});

it.each([
  'class TritonPythonModel: pass',
  'class TritonPythonModel(object):\n    def initialize(self, args): pass',
])('finds that %j answers nothing, with the line and the words of the backend', (text) => {
  expect(codeProblem(`import numpy\n\n${text}\n`, '/m/1/model.py')).toMatchObject({
    ...{ line: 3, message: 'TritonPythonModel has no function execute' },
    triton: 'Python model /m/1/model.py does not implement `execute` method.',
  });
});
