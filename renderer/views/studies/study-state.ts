import {
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconFileAlert,
  IconFileBroken,
  IconLoader2,
  IconPlayerPause,
} from '@tabler/icons-react';
import type { StudyState, StudySummary } from '../../../main/contract/study/study';
import type { StatusWord } from '../../components/status-text';

const styles: Readonly<Record<StudyState, StatusWord>> = {
  planned: { icon: IconCircleDashed, tone: 'dim', text: 'Planned' },
  running: { icon: IconLoader2, tone: 'info', text: 'Running' },
  newer: { icon: IconFileAlert, tone: 'warn', text: 'Newer version' },
  damaged: { icon: IconFileBroken, tone: 'bad', text: 'Damaged' },
  paused: { icon: IconPlayerPause, tone: 'warn', text: 'Paused' },
  done: { icon: IconCircleCheck, tone: 'good', text: 'Done' },
  failed: { icon: IconCircleX, tone: 'bad', text: 'Failed' },
  cancelled: { icon: IconCircleMinus, tone: 'dim', text: 'Cancelled' },
};

export const studyStyle = ({
  state,
  interrupted,
}: Pick<StudySummary, 'state' | 'interrupted'>): StatusWord =>
  interrupted ? { ...styles.paused, text: 'Interrupted' } : styles[state];
