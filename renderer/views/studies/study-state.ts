import {
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconLoader2,
  IconPlayerPause,
} from '@tabler/icons-react';
import type { StudyState, StudySummary } from '../../../main/contract/study/study';
import type { WordLook } from '../../components/status-text';

const looks: Readonly<Record<StudyState, WordLook>> = {
  planned: { icon: IconCircleDashed, tone: 'dim', text: 'Planned' },
  running: { icon: IconLoader2, tone: 'info', text: 'Running' },
  paused: { icon: IconPlayerPause, tone: 'warn', text: 'Paused' },
  done: { icon: IconCircleCheck, tone: 'good', text: 'Done' },
  failed: { icon: IconCircleX, tone: 'bad', text: 'Failed' },
  cancelled: { icon: IconCircleMinus, tone: 'dim', text: 'Cancelled' },
};

export const studyLook = ({ state, interrupted }: Pick<StudySummary, 'state' | 'interrupted'>): WordLook =>
  interrupted ? { ...looks.paused, text: 'Interrupted' } : looks[state];
