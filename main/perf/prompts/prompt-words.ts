/** Common English words, most of them one token of any tokenizer that was trained on English. */
export const promptWords: readonly string[] = (
  'a about above after again air all along also always am an and animal another answer any are around as ask at away ' +
  'back be because been before began begin being below between big black blue body book both boy bring build but by ' +
  'call came can car carry center change children city clear close cold color come common could country course cross cut ' +
  'day deep did different do does done door down draw dry during each early earth east easy eat end enough even ever every ' +
  'eye face fact fall family far farm fast father feel feet few field find fire first fish five fly follow food foot for ' +
  'form found four free friend from full game gave general get girl give go gold good great green ground group grow had ' +
  'half hand hard has have he head hear heat help her here high him his hold home horse hot hour house how hundred idea if ' +
  'in interest into is it just keep kind king know land language large last late learn leave left less let letter life ' +
  'light like line list little live long look love low machine made main make man many map mark may me mean measure might ' +
  'mile mind money month moon more morning most mother mountain move much music must my name near need never new next night ' +
  'no north note nothing notice now number object of off often old on once one only open or order other our out over own ' +
  'page paper part pass people picture piece place plain plan plant play point power problem produce question quick rain ' +
  'ran reach read ready real record red rest right river road rock room round rule run said same saw say school sea second ' +
  'see seem set she ship short should show side simple since six size sleep slow small snow so some song soon sound south ' +
  'space star start state stay step still stop story street strong study such sun sure surface table take talk teach ' +
  'tell ten than that the their them then there these they thing think this those thought thousand three through time to ' +
  'together too took top town travel tree true try turn two under unit until up us use usual very voice walk want war warm ' +
  'was watch water way we week well went were west what wheel when where which while white who whole why will wind wish ' +
  'with wood word work world would write year yes you young your'
).split(' ');
