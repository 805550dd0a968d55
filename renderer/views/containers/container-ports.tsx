import type { ContainerInfo } from '../../../main/contract/docker';
import { CopyButton } from '../../components/copy-button';
import { portText } from './container-text';

/** Where Triton's ports can be reached from here. */
export function ContainerPorts({ ports }: { ports: ContainerInfo['ports'] }) {
  if (ports.length === 0) return <span className="dim">–</span>;
  return (
    <ul className="ports">
      {ports.map(({ containerPort, hostAddress }) => (
        <li key={containerPort}>
          <span className="dim">{portText(containerPort)}</span>
          {hostAddress === null ? (
            <span className="dim">not published</span>
          ) : (
            <>
              <span>{hostAddress}</span>
              <CopyButton text={hostAddress} label={`Copy ${portText(containerPort)} address`} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
