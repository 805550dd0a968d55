import { describe, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { dockerError, engineMessage, isUncertain, statusOf } from '../../../main/docker/client';

/** As the library makes an error of an answer. */
const answered = (statusCode: number, message: string) =>
  Object.assign(new Error(`(HTTP code ${statusCode}) unexpected - ${message} `), {
    statusCode,
    json: { message },
  });
const broken = (code: string, message = code) => Object.assign(new Error(message), { code });

describe('what went wrong with a request', () => {
  // Answers of Docker Engine 20.10.24.
  it.each([
    [broken('ECONNREFUSED', 'connect ECONNREFUSED /var/run/docker.sock'), 'docker-unreachable'],
    [broken('ENOENT', 'connect ENOENT /var/run/docker.sock'), 'docker-unreachable'],
    [broken('ECONNRESET', 'socket hang up'), 'docker-unreachable'],
    [broken('HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/'), 'docker-unreachable'],
    [new Error('ssh: Permission denied (publickey).'), 'docker-unreachable'],
    [broken('EACCES', 'connect EACCES /var/run/docker.sock'), 'docker-permission'],
    [answered(404, 'No such image: nothing:1'), 'image-missing'],
    [answered(404, 'No such container: nothing'), 'docker-failed'],
    [answered(409, 'Conflict. The container name "/x" is already in use'), 'docker-failed'],
    [
      answered(
        500,
        'driver failed programming external connectivity on endpoint x: Bind for 127.0.0.1:8000 failed: port is already allocated',
      ),
      'port-taken',
    ],
    [
      answered(
        500,
        'driver failed programming external connectivity on endpoint x: Error starting userland proxy: listen tcp4 127.0.0.1:8000: bind: address already in use',
      ),
      'port-taken',
    ],
  ])('%s', (error, code) => {
    const failure = dockerError(error, 'do it');
    expect(failure.code).toBe(code);
    expect(failure.cause).toBe(error);
    if (code === 'port-taken') expect(failure.message).toContain('127.0.0.1:8000');
    else expect(failure.message).toContain('Cannot do it');
  });

  it('is passed on when the workbench has said it', () => {
    const own = new WorkbenchError('cancelled', 'Cancelled');
    expect(dockerError(own, 'do it')).toBe(own);
  });

  it('is said in the words of the engine', () => {
    expect(engineMessage(answered(404, 'No such container: x'))).toBe('No such container: x');
    expect(engineMessage(new Error(' socket hang up '))).toBe('socket hang up');
    expect(engineMessage('text')).toBe('text');
  });
});

describe('whether the request may have had its effect', () => {
  it.each([
    [broken('ECONNRESET'), true],
    [answered(500, 'trouble'), true],
    [answered(503, 'starting'), true],
    [answered(404, 'none'), false],
    [answered(409, 'conflict'), false],
    [dockerError(broken('ECONNRESET'), 'x'), true],
    [dockerError(answered(500, 'trouble'), 'x'), true],
    [dockerError(answered(400, 'bad'), 'x'), false],
    [new WorkbenchError('cancelled', 'Cancelled'), false],
  ])('%s: %s', (error, uncertain) => {
    expect(isUncertain(error)).toBe(uncertain);
  });

  it('has a status only where there was an answer', () => {
    expect(statusOf(answered(409, 'x'))).toBe(409);
    expect(statusOf(broken('ECONNRESET'))).toBeNull();
    expect(statusOf(undefined)).toBeNull();
  });
});

/** An answer of the engine, as the library throws it. */
const answer = (statusCode: number, message: string) =>
  Object.assign(new Error(`(HTTP code ${statusCode}) ${message}`), { statusCode, json: { message } });

// As Docker Engine 20.10 says it of a port that a process has, and of one that a container has.
const byProcess =
  'driver failed programming external connectivity on endpoint t (1a2b): Error starting userland proxy: listen tcp4 127.0.0.1:41415: bind: address already in use';
const byContainer =
  'driver failed programming external connectivity on endpoint t (1a2b): Bind for 127.0.0.1:41415 failed: port is already allocated';

/** Docker 28 and 29. */
const since28 =
  'driver failed programming external connectivity on endpoint t (1a2b): failed to bind host port for 127.0.0.1:41415:172.17.0.2:8000/tcp: address already in use';
const since29 =
  'driver failed programming external connectivity on endpoint t (1a2b): failed to bind host port 127.0.0.1:41415/tcp: address already in use';

describe('a port that is taken', () => {
  it.each([byProcess, byContainer, since28, since29])(
    'is told with its address, and not asked for again: %s',
    (message) => {
      const error = dockerError(answer(500, message), 'start the container');
      expect(error.code).toBe('port-taken');
      expect(error.message).toBe('Port 127.0.0.1:41415 is in use');
      expect(isUncertain(error)).toBe(false);
    },
  );
});

describe('what is asked again', () => {
  it.each([
    ['an engine in trouble', answer(503, 'unavailable'), true],
    ['a broken connection', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), true],
    ['a refusal', answer(409, 'Conflict'), false],
    ['an image that is not there', answer(404, 'No such image: x'), false],
  ])('%s: %s', (_name, error, again) => {
    expect(isUncertain(error)).toBe(again);
    expect(isUncertain(dockerError(error, 'do it'))).toBe(again);
  });
});
