% Octave: three products and a solve in single precision.
rand("twister", 1);
a = single(rand(500));
for i = 1:3
    c = a * a;
end
x = a \ c;
