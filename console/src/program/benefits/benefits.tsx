import { useLocation } from 'wouter';
import { BenefitForm } from './benefit-form.tsx';
import { BenefitList } from './benefit-list.tsx';
import './benefits.css';

/** The benefits of the draft, and the form of each at `benefits/ID`. */
export default function BenefitsPage() {
  const [path] = useLocation();
  const id = path.split('/')[4] ?? '';
  return id === '' ? <BenefitList /> : <BenefitForm key={id} id={decodeURIComponent(id)} />;
}
